package main

import (
	"fmt"
	"regexp"
	"strings"
)

// most limits how many failed tests are rerun. Of thousands of tests, one or two may fail by chance; if more fail,
// the reason is a bug.
const most = 3

// again returns the failed tests that are worth running once more, one per line: a package and a pattern for go test
// -run. It is empty if too many failed for chance, a package did not finish, or a data race was found.
func (r *report) again() string {
	if len(r.failed) > most || r.broken {
		return ""
	}
	var b strings.Builder
	for _, at := range r.failed {
		parts := strings.Split(at.Test, "/")
		for i, part := range parts {
			parts[i] = "^" + regexp.QuoteMeta(part) + "$"
		}
		fmt.Fprintln(&b, at.Package, strings.Join(parts, "/"))
	}
	return b.String()
}
