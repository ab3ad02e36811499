package analyze

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Site returns the stack frame to show as the place of a call: the innermost function of the program that is not a
// mere wrapper around Metal calls. Python frames are preferred to native ones. Without a frame of the program it
// returns the innermost frame that has a name; nil if nothing is known.
func (s *Stack) Site() *Frame {
	switch {
	case s == nil:
		return nil
	case s.site != nil:
		return s.site
	}
	if c := s.candidates(); len(c) > 0 {
		return c[0]
	}
	return nil
}

// Caller returns the program's frame that called Site; nil if no caller describes the place as well as Site does (see
// rank).
func (s *Stack) Caller() *Frame {
	at := s.Site()
	if at == nil {
		return nil
	}
	passed := false
	for _, f := range s.candidates() {
		if passed {
			return f
		}
		passed = f == at
	}
	return nil
}

// Chain returns Site and the program's frames that called it, innermost first, at most `most` frames in all.
func (s *Stack) Chain(most int) []*Frame {
	list := s.candidates()
	if at := slices.Index(list, s.Site()); at > 0 {
		list = list[at:]
	}
	return list[:min(most, len(list))]
}

// candidates returns the frames of the best rank in the stack, innermost first. Site is one of them.
func (s *Stack) candidates() (list []*Frame) {
	best := 0
	for _, f := range s.Frames {
		if r := f.rank(); r > best {
			best, list = r, nil
		}
		if f.rank() == best {
			list = append(list, f)
		}
	}
	return list
}

// direct returns how many of the innermost candidates call Metal directly, without a Python package in between. Only
// these can be wrappers around Metal calls. A line that calls a framework also causes many different Metal calls, but
// it is no wrapper: it is the place that a report should show.
func (s *Stack) direct(candidates []*Frame) (n int) {
	for _, f := range s.Frames {
		switch {
		case n < len(candidates) && f == candidates[n]:
			n++
		case f.Python && !f.own():
			return n
		}
	}
	return n
}

// wrapperSelectors is the number of different Metal calls from which on a place in the program counts as a wrapper.
const wrapperSelectors = 3

// passWrappers moves the Site of each stack from wrapper functions to their callers. A wrapper, such as the send() of
// a language binding, makes all Metal calls and does not show where in the program a call comes from.
func passWrappers(t *Trace) {
	type place struct {
		candidates []*Frame
		direct     int // number of leading candidates that call Metal without a library between
		selectors  map[string]bool
	}
	places := map[*Stack]*place{}
	for _, c := range t.Calls {
		for _, from := range c.From {
			if from.Stack == nil {
				continue
			}
			// waits for locks and signals occur in any code, so they do not count as different Metal calls of a wrapper
			metal := c.Part != PartLock && c.Part != PartOutside
			p := places[from.Stack]
			if p == nil {
				candidates := from.Stack.candidates()
				p = &place{candidates, from.Stack.direct(candidates), map[string]bool{}}
				places[from.Stack] = p
			}
			if metal {
				p.selectors[c.Selector] = true
			}
		}
	}
	for more := true; more; {
		selectors := map[*Frame]map[string]bool{}
		for _, p := range places {
			if len(p.candidates) > 0 {
				f := p.candidates[0]
				if selectors[f] == nil {
					selectors[f] = map[string]bool{}
				}
				maps.Copy(selectors[f], p.selectors)
			}
		}
		more = false
		for _, p := range places {
			if len(p.candidates) > 1 && p.direct > 0 && len(selectors[p.candidates[0]]) >= wrapperSelectors {
				p.candidates, p.direct, more = p.candidates[1:], p.direct-1, true
			}
		}
	}
	for s, p := range places {
		if len(p.candidates) > 0 {
			s.site = p.candidates[0]
		}
	}
}

// rank returns how well a frame describes a place in the program; higher is better. The program's own Python code is
// best, an address without a name worst.
func (f *Frame) rank() int {
	own := f.own()
	switch {
	case f.Unnamed && f.Image == nil:
		return 1
	case f.Python && own:
		return 6
	case f.Python:
		return 5
	case own && !f.Unnamed:
		return 4
	case !f.Unnamed:
		return 3
	}
	return 2
}

// String returns the frame as reports show it: "train.py:42 step()", or for machine code the function and its image:
// "axpy() in libgpu.so".
func (f *Frame) String() string {
	switch {
	case f.File != "" && f.Line > 0:
		return fmt.Sprintf("%s:%d %s", path.Base(f.File), f.Line, call(f.Name))
	case f.File != "":
		return fmt.Sprintf("%s %s", path.Base(f.File), call(f.Name))
	case f.Unnamed:
		return f.Name
	case f.Image != nil:
		return fmt.Sprintf("%s in %s", call(f.Name), path.Base(f.Image.Path))
	}
	return call(f.Name)
}

// call returns a function's name followed by "()". Names of Objective-C methods and of Python modules stay as they
// are.
func call(name string) string {
	if strings.HasSuffix(name, ")") || strings.ContainsAny(name, "[<") {
		return name
	}
	return name + "()"
}
