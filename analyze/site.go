package analyze

import (
	"fmt"
	"maps"
	"path"
	"strings"
)

// Site is the frame to show for a call with this stack: the innermost of the program's own functions that is not a
// wrapper through which it makes all its calls, of Python where there is one; failing that, the innermost with a name.
// It is nil when nothing is known.
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

// Caller is the frame of the program that called Site's; nil when there is none that is as telling.
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

// candidates are the frames that tell best where in a program the stack is, innermost first.
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

// direct counts the first candidates that call Metal themselves, not through a package of Python: only they can be
// wrappers. A line that has a framework do its work makes many calls, too.
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

// wrapperSelectors is from how many different calls of Metal on a place is mistaken for a wrapper, through which a
// program makes all its calls.
const wrapperSelectors = 3

// passWrappers lets sites be the functions that call wrappers: a binding's send(), which says nothing of where in the
// program a call is made.
func passWrappers(t *Trace) {
	type place struct {
		candidates []*Frame
		direct     int // of the first of them, between which and Metal there is no library
		selectors  map[string]bool
	}
	places := map[*Stack]*place{}
	for _, c := range t.Calls {
		for _, from := range c.From {
			if from.Stack == nil {
				continue
			}
			metal := c.Part != PartLock && c.Part != PartOutside // locks are met anywhere
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

// rank says how well a frame tells a reader where in a program something is.
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

// String is "train.py:42 step()"; of machine code it is the function and its image, "axpy() in libgpu.so".
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

// call is a function's name as a call: names of Objective-C methods and of modules are left as they are.
func call(name string) string {
	if strings.HasSuffix(name, ")") || strings.ContainsAny(name, "[<") {
		return name
	}
	return name + "()"
}
