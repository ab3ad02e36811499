package main

import (
	"fmt"
	"regexp"
	"strings"
)

// most is the maximum number of failed tests that are rerun: randomness affects one or two of thousands, and a real bug
// more.
const most = 3

// again returns lines for rerunning failed tests alone: a package and a pattern for go test -run. It is empty where a
// rerun is pointless: nothing failed, a package did not finish, a data race was found, or too many tests failed for
// randomness.
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
