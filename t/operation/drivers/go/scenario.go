// Package scenario is what every program in this folder does: the steps of ../README.md, each with
// the client's own calls. A step prints its name, a tab, and what came of it.
package scenario

import (
	"errors"
	"fmt"
	"reflect"
)

const (
	CID  = "bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq"
	DID  = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
	Find = "SELECT rev FROM record WHERE rev = $1"
)

var Copied = []string{"3k2hwfvx7k22l", "3k3yoc6ybt22l"}

// Client is what a client has to do. A function that is nil is not told of.
type Client struct {
	Revs     func(query string, values ...any) ([]string, error)
	Row      func(columns int, query string, values ...any) ([]string, error)
	List     func(list []string) any
	Shape    func(query string) (string, error)
	Texts    func(query string) ([]string, error)
	SetPrev  func(rev string) (isNull bool, err error)
	Prepared func(list []string) error
	Copy     func(list []string) error
	Refused  func(rkey string) error
	Fault    func(err error) (code, constraint string)
}

func Same(got, wanted any, err error) error {
	if err == nil && !reflect.DeepEqual(got, wanted) {
		err = fmt.Errorf("%v instead of %v", got, wanted)
	}
	return err
}

func Run(c Client) {
	tell := func(name string, step func() (string, error)) {
		result, err := step()
		if err != nil {
			code, _ := c.Fault(err)
			if code == "" {
				code = err.Error()
			}
			result = "error " + code
		}
		fmt.Printf("%s\t%s\n", name, result)
	}
	var known []string
	list := func(name, query string) {
		tell(name, func() (string, error) {
			got, err := c.Revs(query, c.List(known[1:3]))
			return "ok", Same(got, known[1:3], err)
		})
	}

	tell("tid", func() (string, error) {
		for i := 0; i < 5; i++ {
			row, err := c.Revs("INSERT INTO record DEFAULT VALUES RETURNING rev")
			if err != nil {
				return "", err
			}
			known = append(known, row[0])
		}
		return c.Shape("SELECT rev FROM record LIMIT 1")
	})
	tell("parameter", func() (string, error) {
		got, err := c.Revs(Find, known[2])
		return "ok", Same(got, known[2:3], err)
	})
	list("any", "SELECT rev FROM record WHERE rev = ANY($1) ORDER BY rev")
	list("any, cast", "SELECT rev FROM record WHERE rev = ANY($1::text[]::atid.tid[]) ORDER BY rev")
	tell("tid[]", func() (string, error) {
		return c.Shape("SELECT array_agg(rev ORDER BY rev) FROM record")
	})
	tell("tid[] as text[]", func() (string, error) {
		got, err := c.Texts("SELECT array_agg(rev ORDER BY rev)::text[] FROM record")
		return "ok", Same(got, known, err)
	})
	tell("paging", func() (string, error) {
		var seen []string
		cursor := "2222222222222"
		for {
			page, err := c.Revs("SELECT rev FROM record WHERE rev > $1 ORDER BY rev LIMIT 2", cursor)
			if err != nil || len(page) == 0 {
				return "ok", Same(seen, known, err)
			}
			seen = append(seen, page...)
			cursor = page[len(page)-1]
		}
	})
	tell("null", func() (string, error) {
		null, err := c.SetPrev(known[0])
		return "ok", Same(null, true, err)
	})
	tell("values", func() (string, error) {
		row := []string{"self", CID, DID, "at://" + DID + "/app.bsky.feed.post/3jzfcijpj2z2a"}
		got, err := c.Row(4, "INSERT INTO record (rkey, cid, author, uri) VALUES ($1, $2, $3, $4)"+
			" RETURNING rkey, cid, author, uri", row[0], row[1], row[2], row[3])
		return "ok", Same(got, row, err)
	})
	tell("prepared", func() (string, error) { return "ok", c.Prepared(known) })
	tell("copy", func() (string, error) {
		if err := c.Copy(Copied); err != nil {
			return "", err
		}
		got, err := c.Revs(Find, Copied[0])
		return "ok", Same(got, Copied[:1], err)
	})
	tell("check", func() (string, error) {
		err := c.Refused("no/slashes")
		if err == nil {
			return "", errors.New("the value was taken")
		}
		code, constraint := c.Fault(err)
		got, err := c.Revs(Find, known[2])
		return code + " " + constraint, Same(got, known[2:3], err)
	})
}
