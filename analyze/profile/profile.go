// Package profile writes traces as pprof profiles, as docs/terms.md defines them. Their sums equal the sums of the
// report, to the nanosecond.
package profile

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
)

// Types are the available profiles.
var Types = []string{"gpu", "api", "wait", "alloc", "compile"}

// Build returns the profile of a trace that kind names, one of Types.
func Build(kind string, t *analyze.Trace) (*profile.Profile, error) { return build(kind, inputOf(t)) }

// An input is what profiles are made from. Functions compute what only some kinds of profiles need.
type input struct {
	trace    *analyze.Trace
	division func() *evidence.Division
	costs    func() *kernels.Costs // may return nil if the costs are unknown
	splitter *kernels.Splitter
}

func inputOf(t *analyze.Trace) input {
	return input{t, func() *evidence.Division { return evidence.Divide(t) },
		func() *kernels.Costs { return kernels.CostsOf(t) }, &kernels.Splitter{}}
}

// build makes one profile. It returns nil if the profile needs the costs of kernels and they are not known.
func build(kind string, from input) (*profile.Profile, error) {
	var b *builder
	switch kind {
	case "gpu":
		if b = gpu(from.trace, from.costs(), from.splitter); b == nil {
			return nil, nil
		}
	case "api":
		b = api(from.trace)
	case "wait":
		b = wait(from.division())
	case "alloc":
		b = alloc(from.trace)
	case "compile":
		b = compilation(from.trace)
	default:
		return nil, fmt.Errorf("no profile %q: there are %s", kind, strings.Join(Types, ", "))
	}
	if err := b.profile.CheckValid(); err != nil {
		return nil, fmt.Errorf("making the %s profile: %w", kind, err)
	}
	return b.profile, nil
}

// BuildAll returns the profiles of several kinds, in the order of kinds. They are computed concurrently.
func BuildAll(kinds []string, t *analyze.Trace) ([]*profile.Profile, error) {
	return buildAll(kinds, inputOf(t))
}

func buildAll(kinds []string, from input) ([]*profile.Profile, error) {
	list, errs := make([]*profile.Profile, len(kinds)), make([]error, len(kinds))
	var all sync.WaitGroup
	for i, kind := range kinds {
		all.Go(func() { list[i], errs[i] = build(kind, from) })
	}
	all.Wait()
	return list, errors.Join(errs...)
}
