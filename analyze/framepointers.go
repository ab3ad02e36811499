package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Native stacks follow frame pointers. Code that is compiled without them breaks the chain, so that the functions outside
// of it are missing and with them the operations of frameworks.
const (
	brokenShare  = 0.2 // of the calls with native stacks, from which on the reader is told
	brokenImages = 3   // that are named
)

// warnOfBrokenStacks states which code was compiled without frame pointers, if many native stacks end in it.
func warnOfBrokenStacks(t *Trace) {
	broken, all, calls := map[string]int64{}, int64(0), int64(0)
	for _, c := range t.Calls {
		for _, from := range c.From {
			last := from.Stack.outermostNative()
			if last == nil {
				continue
			}
			calls += from.Count
			if last.breaks(from.Stack) {
				broken[last.Image.Path] += from.Count
				all += from.Count
			}
		}
	}
	if calls == 0 || float64(all) < brokenShare*float64(calls) {
		return
	}
	images := slices.SortedFunc(maps.Keys(broken), func(a, b string) int {
		return cmp.Or(cmp.Compare(broken[b], broken[a]), cmp.Compare(a, b))
	})
	var names []string
	for _, image := range images[:min(len(images), brokenImages)] {
		names = append(names, path.Base(image))
	}
	t.Warnings = append(t.Warnings, fmt.Sprintf("native stacks of %s of the calls end in %s, which has no frame "+
		"pointers: functions and operations outside of it are missing; compile it with -fno-omit-frame-pointer", FormatShare(float64(all)/float64(calls)), strings.Join(names, ", ")))
}

// outermostNative is the last frame of machine code; nil if there is none or its file is not known.
func (s *Stack) outermostNative() *Frame {
	if s == nil {
		return nil
	}
	for _, f := range slices.Backward(s.Frames) {
		if !f.Python {
			if f.Image == nil {
				return nil
			}
			return f
		}
	}
	return nil
}

// stackEnds are the files in which the stack of a thread may end: the system's libraries, where threads begin, and the
// interpreter of Python, whose functions are frames of Python. stackStarts are functions that nothing calls.
var (
	stackEnds = regexp.MustCompile(`(^|/)(usr/lib[0-9]*|lib/[a-z0-9_]+-linux-[a-z]+|System/Library|lib-dynload)/|` +
		`(^|/)(lib(c|m|pthread|dl|ffi|objc|dispatch|stdc\+\+|python[0-9.]+)[-.]|[Pp]ython[0-9.]*$|ld-|\[)`)
	stackStarts = []string{"main", "_start", "start", "runtime.goexit", "runtime.asmcgocall", "runtime.mstart"}
)

// breaks says whether the chain of frame pointers broke in the frame, the outermost of machine code. Outside of the
// interpreter of Python, its own frames tell the functions.
func (f *Frame) breaks(s *Stack) bool {
	return !s.Cut && !stackEnds.MatchString(f.Image.Path) && !slices.Contains(stackStarts, f.Name) &&
		!slices.ContainsFunc(s.Frames, func(f *Frame) bool {
			return f.Image != nil && strings.HasPrefix(strings.ToLower(path.Base(f.Image.Path)), "python")
		})
}
