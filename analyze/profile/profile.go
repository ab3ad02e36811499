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
	"mtrace/analyze/kernels"
)

// Types are the available profiles.
var Types = []string{"gpu", "api", "wait", "alloc", "compile"}

var builders = map[string]func(*analyze.Trace) *builder{"api": api, "wait": wait, "alloc": alloc,
	"compile": compilation,
	"gpu":     func(t *analyze.Trace) *builder { return gpu(t, kernels.CostsOf(t)) }}

// Build returns the profile of a trace that kind names, one of Types.
func Build(kind string, t *analyze.Trace) (*profile.Profile, error) { return build(kind, t, nil) }

// build is Build with the GPU costs of kernels given by the caller; with nil, they are computed from the trace.
func build(kind string, t *analyze.Trace, costs *kernels.Costs) (*profile.Profile, error) {
	build, known := builders[kind]
	if !known {
		return nil, fmt.Errorf("no profile %q: there are %s", kind, strings.Join(Types, ", "))
	}
	var p *profile.Profile
	if kind == "gpu" && costs != nil {
		p = gpu(t, costs).profile
	} else {
		p = build(t).profile
	}
	if err := p.CheckValid(); err != nil {
		return nil, fmt.Errorf("making the %s profile: %w", kind, err)
	}
	return p, nil
}

// BuildAll returns the profiles of several kinds, in the order of kinds. They are computed concurrently.
func BuildAll(kinds []string, t *analyze.Trace) ([]*profile.Profile, error) {
	return buildAll(kinds, t, nil)
}

func buildAll(kinds []string, t *analyze.Trace, costs *kernels.Costs) ([]*profile.Profile, error) {
	list, errs := make([]*profile.Profile, len(kinds)), make([]error, len(kinds))
	var all sync.WaitGroup
	for i, kind := range kinds {
		all.Go(func() { list[i], errs[i] = build(kind, t, costs) })
	}
	all.Wait()
	return list, errors.Join(errs...)
}
