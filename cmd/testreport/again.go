package main

import (
	"fmt"
	"regexp"
	"strings"
)

// most is how many tests may fail in a run and be run again: chance takes one or two of thousands, and what is broken
// takes more.
const most = 3

// again says how to run alone what failed: lines of a package and a pattern for go test -run. It is empty where running
// again shows nothing: when nothing failed, a package was not run to its end, a race was seen, or too many tests failed
// to speak of chance.
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
