// Package profile writes traces as pprof profiles, as docs/vocabulary.md defines them. Their sums equal those of the
// report, to the nanosecond.
package profile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/pprof/profile"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/wholefile"
)

// Types are the available profiles.
var Types = []string{"gpu", "api", "wait", "alloc", "compile"}

var builders = map[string]func(*analyze.Trace) *builder{"api": api, "wait": wait, "alloc": alloc,
	"compile": compilation,
	"gpu":     func(t *analyze.Trace) *builder { return gpu(t, kernels.CostsOf(t)) }}

// Build returns one profile of the trace; kind is one of Types.
func Build(kind string, t *analyze.Trace) (*profile.Profile, error) { return build(kind, t, nil) }

// build is Build with given costs of kernels; nil means the costs that the trace itself shows.
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

// BuildAll returns profiles of several kinds, computed concurrently.
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

// Write writes one profile, compressed, to path. It does not replace an existing file.
func Write(kind string, t *analyze.Trace, path string) error {
	p, err := Build(kind, t)
	if err != nil {
		return err
	}
	if err := wholefile.Write(path, false, func(f *os.File) error { return p.Write(f) }); err != nil {
		return fmt.Errorf("writing the %s profile to %s: %w", kind, path, err)
	}
	return nil
}

// WriteAll writes profiles as KIND.pb.gz into the folder dir, which it creates if necessary, and returns their paths.
// No kinds means all Types.
func WriteAll(kinds []string, t *analyze.Trace, dir string) ([]string, error) {
	if len(kinds) == 0 {
		kinds = Types
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for profiles: %w", err)
	}
	var paths []string
	for _, kind := range kinds {
		path := filepath.Join(dir, kind+".pb.gz")
		if err := Write(kind, t, path); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
