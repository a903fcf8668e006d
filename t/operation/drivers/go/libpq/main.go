// lib/pq, through database/sql
package main

import (
	"database/sql"
	"errors"
	"fmt"

	"atid/scenario"

	"github.com/lib/pq"
)

func main() {
	db, err := sql.Open("postgres", "sslmode=disable")
	if err != nil {
		panic(err)
	}
	db.SetMaxOpenConns(1)

	revs := func(query string, values ...any) ([]string, error) {
		rows, err := db.Query(query, values...)
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
	transaction := func(work func(tx *sql.Tx) error) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		if err := work(tx); err != nil {
			tx.Rollback()
			return err
		}
		return tx.Commit()
	}

	scenario.Run(scenario.Client{
		Revs: revs,
		Row: func(columns int, query string, values ...any) ([]string, error) {
			row, targets := make([]string, columns), make([]any, columns)
			for i := range row {
				targets[i] = &row[i]
			}
			return row, db.QueryRow(query, values...).Scan(targets...)
		},
		List: func(list []string) any { return pq.Array(list) },
		Shape: func(query string) (string, error) {
			var value any
			err := db.QueryRow(query).Scan(&value)
			return fmt.Sprintf("%T", value), err
		},
		Texts: func(query string) (list []string, err error) {
			err = db.QueryRow(query).Scan(pq.Array(&list))
			return
		},
		SetPrev: func(rev string) (bool, error) {
			var prev sql.NullString
			err := db.QueryRow("UPDATE record SET prev = $1 WHERE rev = $2 RETURNING prev", nil, rev).Scan(&prev)
			return !prev.Valid, err
		},
		Prepared: func(list []string) error {
			statement, err := db.Prepare(scenario.Find)
			if err != nil {
				return err
			}
			defer statement.Close()
			for _, rev := range list {
				var got string
				err := statement.QueryRow(rev).Scan(&got)
				if err := scenario.Same(got, rev, err); err != nil {
					return err
				}
			}
			return nil
		},
		Copy: func(list []string) error {
			return transaction(func(tx *sql.Tx) error {
				statement, err := tx.Prepare(pq.CopyIn("record", "rev"))
				if err != nil {
					return err
				}
				for _, rev := range list {
					if _, err := statement.Exec(rev); err != nil {
						return err
					}
				}
				_, err = statement.Exec()
				return err
			})
		},
		Refused: func(rkey string) error {
			return transaction(func(tx *sql.Tx) error {
				_, err := tx.Exec("INSERT INTO record (rkey) VALUES ($1)", rkey)
				return err
			})
		},
		Fault: func(err error) (string, string) {
			var fault *pq.Error
			if errors.As(err, &fault) {
				return string(fault.Code), fault.Constraint
			}
			return "", ""
		},
	})
}
