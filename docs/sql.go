package docs

import (
	"embed"
	"strings"
)

//go:embed sql/*.sql
var queries embed.FS

// A Query is a file in docs/sql: an SQL query over the tables of mtrace export, after a comment with the question
// that it answers.
type Query struct{ Name, Text string }

// Queries returns the SQL queries in docs/sql, sorted by name.
func Queries() (list []Query) {
	files, err := queries.ReadDir("sql")
	if err != nil {
		panic(err) // it is in the program
	}
	for _, f := range files {
		text, err := queries.ReadFile("sql/" + f.Name())
		if err != nil {
			panic(err) // it is in the program
		}
		list = append(list, Query{strings.TrimSuffix(f.Name(), ".sql"), strings.TrimSpace(string(text))})
	}
	return list
}
