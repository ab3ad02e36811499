package analyze

import (
	"fmt"
	"maps"
	"path"
	"strings"
)

// Site returns the frame to show for a call with this stack: the innermost of the program's own functions that is not a
// wrapper for all its Metal calls. Python frames are preferred. If there is none, it is the innermost frame with a
// name; nil if nothing is known.
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

// Caller returns the program's frame that called Site; nil if no caller shows the place in the program as well as Site.
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

// candidates returns the frames that show the place in the program best, innermost first.
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

// direct counts the leading candidates that call Metal directly and not through a Python package. Only those can be
// wrappers: a line that calls a framework also makes many different Metal calls.
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

// wrapperSelectors is the minimum number of different Metal calls in one place that make the place a wrapper.
const wrapperSelectors = 3

// passWrappers makes the caller of a wrapper the site of a call. A wrapper, such as a binding's send(), does not show
// where in the program a call is made.
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
			// any code may wait for a lock, not only code that calls Metal
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

// rank returns how well a frame shows the place in the program; higher is better.
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

// String is "train.py:42 step()", or for machine code the function and its image: "axpy() in libgpu.so".
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

// call writes a function's name as a call. Names of Objective-C methods and of modules are unchanged.
func call(name string) string {
	if strings.HasSuffix(name, ")") || strings.ContainsAny(name, "[<") {
		return name
	}
	return name + "()"
}
