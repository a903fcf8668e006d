// pgx 4
package main

import (
	"context"
	"errors"
	"fmt"

	"atid/scenario"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgx/v4"
)

func main() {
	background := context.Background()
	db, err := pgx.Connect(background, "")
	if err != nil {
		panic(err)
	}
	revs := func(query string, values ...any) ([]string, error) {
		rows, err := db.Query(background, query, values...)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		var list []string
		for rows.Next() {
			var rev string
			if err := rows.Scan(&rev); err != nil {
				return nil, err
			}
			list = append(list, rev)
		}
		return list, rows.Err()
	}

	scenario.Run(scenario.Client{
		Revs: revs,
		Row: func(columns int, query string, values ...any) ([]string, error) {
			row, targets := make([]string, columns), make([]any, columns)
			for i := range row {
				targets[i] = &row[i]
			}
			return row, db.QueryRow(background, query, values...).Scan(targets...)
		},
		List: func(list []string) any { return list },
		Shape: func(query string) (string, error) {
			rows, err := db.Query(background, query)
			if err != nil {
				return "", err
			}
			defer rows.Close()
			rows.Next()
			values, err := rows.Values()
			if err != nil {
				return "", err
			}
			return fmt.Sprintf("%T", values[0]), nil
		},
		Texts: func(query string) (list []string, err error) {
			err = db.QueryRow(background, query).Scan(&list)
			return
		},
		SetPrev: func(rev string) (bool, error) {
			var prev *string
			err := db.QueryRow(background, "UPDATE record SET prev = $1 WHERE rev = $2 RETURNING prev",
				nil, rev).Scan(&prev)
			return prev == nil, err
		},
		Prepared: func(list []string) error {
			if _, err := db.Prepare(background, "find", scenario.Find); err != nil {
				return err
			}
			for _, rev := range list {
				got, err := revs("find", rev)
				if err := scenario.Same(got, []string{rev}, err); err != nil {
					return err
				}
			}
			return nil
		},
		Copy: func(list []string) error {
			rows := make([][]any, len(list))
			for i, rev := range list {
				rows[i] = []any{rev}
			}
			_, err := db.CopyFrom(background, pgx.Identifier{"record"}, []string{"rev"}, pgx.CopyFromRows(rows))
			return err
		},
		Refused: func(rkey string) error {
			return db.BeginFunc(background, func(tx pgx.Tx) error {
				_, err := tx.Exec(background, "INSERT INTO record (rkey) VALUES ($1)", rkey)
				return err
			})
		},
		Fault: func(err error) (string, string) {
			var fault *pgconn.PgError
			if errors.As(err, &fault) {
				return fault.Code, fault.ConstraintName
			}
			return "", ""
		},
	})
}
