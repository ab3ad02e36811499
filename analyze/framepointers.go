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

// The tracer walks native stacks by frame pointers. Code compiled without frame pointers breaks the walk: its callers
// are missing from the stack, and so are the framework operations that these callers would name.
const (
	brokenShare  = 0.2 // share of the calls with native stacks above which a warning is given
	brokenImages = 3   // number of images that the warning names
)

// warnOfBrokenStacks adds a warning if the native stacks of many calls (brokenShare) end in code without frame
// pointers. The warning names the files to compile anew.
func warnOfBrokenStacks(t *Trace) {
	broken, all, calls := map[string]int64{}, int64(0), int64(0)
	for _, c := range t.Calls {
		for _, from := range c.From {
			if from.Stack == nil || !slices.ContainsFunc(from.Stack.Frames, func(f *Frame) bool { return !f.Python }) {
				continue
			}
			calls += from.Count
			if image := from.Stack.brokenIn; image != nil {
				broken[image.Path] += from.Count
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
	t.Warnings = append(t.Warnings, fmt.Sprintf(
		"native stacks of %s of the calls end in %s, which has no frame pointers: "+
			"functions and operations outside of it are missing; compile it with -fno-omit-frame-pointer",
		FormatShare(float64(all)/float64(calls)), strings.Join(names, ", ")))
}

// stackEnds matches files in which a complete stack may end: the system's libraries, where threads begin, and
// CPython, whose functions are recorded as Python frames. stackStarts are functions that have no caller. A stack that
// ends elsewhere was broken by code without frame pointers.
var (
	stackEnds = regexp.MustCompile(`(^|/)(usr/lib[0-9]*|lib/[a-z0-9_]+-linux-[a-z]+|System/Library|lib-dynload)/|` +
		`(^|/)(lib(c|m|pthread|dl|ffi|objc|dispatch|stdc\+\+|python[0-9.]+)[-.]|[Pp]ython[0-9.]*$|ld-|\[)`)
	stackStarts = []string{"main", "_start", "start", "runtime.goexit", "runtime.asmcgocall", "runtime.mstart"}
)
