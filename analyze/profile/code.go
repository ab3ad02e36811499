package profile

import (
	"github.com/google/pprof/profile"

	"mtrace/analyze"
)

// code creates the functions, locations and mappings of a profile from the frames of stacks. It creates each only
// once.
type code struct {
	profile   *profile.Profile
	functions map[functionKey]*profile.Function
	locations map[*analyze.Frame]*profile.Location
	mappings  map[*analyze.Image]*profile.Mapping
}

type functionKey struct{ name, file string }

func newCode(p *profile.Profile) *code {
	return &code{p, map[functionKey]*profile.Function{}, map[*analyze.Frame]*profile.Location{},
		map[*analyze.Image]*profile.Mapping{}}
}

func newFunction(p *profile.Profile, name, file string) *profile.Function {
	f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name, SystemName: name, Filename: file}
	p.Function = append(p.Function, f)
	return f
}

func newLocation(p *profile.Profile, address uint64, m *profile.Mapping, line profile.Line) *profile.Location {
	at := &profile.Location{ID: uint64(len(p.Location) + 1), Address: address, Mapping: m, Line: []profile.Line{line}}
	p.Location = append(p.Location, at)
	return at
}

// location returns the profile's location for a frame. For machine code its address is one less than the return
// address, which may already belong to the next line or function.
func (c *code) location(f *analyze.Frame) *profile.Location {
	at := c.locations[f]
	if at == nil {
		address := uint64(0)
		if f.Address > 0 {
			address = f.Address - 1
		}
		at = newLocation(c.profile, address, c.mapping(f), profile.Line{Function: c.function(f), Line: int64(f.Line)})
		c.locations[f] = at
	}
	return at
}

func (c *code) function(f *analyze.Frame) *profile.Function {
	key := functionKey{f.Name, f.File}
	at := c.functions[key]
	if at == nil {
		at = newFunction(c.profile, analyze.Printable(f.Name), f.File)
		c.functions[key] = at
	}
	return at
}

// mapping returns the profile's mapping for the file that contains the frame's machine code. Python functions, and
// code of unknown files, are mapped to the program. If a function has no name, HasFunctions is false, so that go tool
// pprof looks for names in the file.
func (c *code) mapping(f *analyze.Frame) *profile.Mapping {
	if f.Image == nil {
		return c.profile.Mapping[0]
	}
	m := c.mappings[f.Image]
	if m == nil {
		m = &profile.Mapping{ID: uint64(len(c.profile.Mapping) + 1), Start: f.Image.Start, Limit: f.Image.Start +
			f.Image.Size, File: f.Image.Path,
			BuildID: f.Image.BuildID, HasFunctions: true}
		c.profile.Mapping = append(c.profile.Mapping, m)
		c.mappings[f.Image] = m
	}
	if f.Unnamed {
		m.HasFunctions = false
	}
	if f.Line > 0 {
		m.HasFilenames, m.HasLineNumbers = true, true
	}
	return m
}
