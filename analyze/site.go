package analyze

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// libraries are files of the language's library and of packages, and machine code of the system: code that is called, not code of the program.
var libraries = regexp.MustCompile(`(^|/)(site-packages|dist-packages|lib/python[0-9.]+|usr/lib[0-9]*|lib/[a-z0-9_]+-linux-[a-z]+|System/Library)/|^<frozen|(^|/)lib(c|m|pthread|dl|ffi|objc|dispatch|stdc\+\+|gnustep-base|python[0-9.]+)[-.]`)

// Site is the frame to show for a call with this stack: the innermost of the program's own functions, of Python where there is one; failing
// that, the innermost with a name. It is nil when nothing is known.
func (s *Stack) Site() *Frame {
	switch {
	case s == nil:
		return nil
	case s.site != nil:
		return s.site
	}
	best, rank := (*Frame)(nil), 0
	for _, f := range s.Frames {
		if r := f.rank(); r > rank {
			best, rank = f, r
		}
	}
	return best
}

// rank says how well a frame tells a reader where in a program something is.
func (f *Frame) rank() int {
	file := f.File
	if !f.Python && f.Image != nil {
		file = f.Image.Path
	}
	own := !libraries.MatchString(file)
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
