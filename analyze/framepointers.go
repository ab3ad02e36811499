package analyze

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"mtrace/collector/wire"
)

// Native stacks follow frame pointers. Code that is compiled without them breaks the chain: its callers are missing
// from the stack, and so are the operations of frameworks that these callers would name.
const (
	brokenShare  = 0.2 // share of the calls with native stacks above which a warning is given
	brokenImages = 3   // number of images that the warning names
)

// warnOfBrokenStacks adds a warning that names the files compiled without frame pointers, if many native stacks end in
// them.
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
	t.Warnings = append(t.Warnings, fmt.Sprintf("native stacks of %s of the calls end in %s, which has no frame "+
		"pointers: functions and operations outside of it are missing; compile it with -fno-omit-frame-pointer",
		FormatShare(float64(all)/float64(calls)), strings.Join(names, ", ")))
}

// stackEnds are the files in which a thread's stack legitimately ends: the system's libraries, where threads begin, and
// the interpreter of Python, whose functions appear as Python frames. stackStarts are functions without a caller.
var (
	stackEnds = regexp.MustCompile(`(^|/)(usr/lib[0-9]*|lib/[a-z0-9_]+-linux-[a-z]+|System/Library|lib-dynload)/|` +
		`(^|/)(lib(c|m|pthread|dl|ffi|objc|dispatch|stdc\+\+|python[0-9.]+)[-.]|[Pp]ython[0-9.]*$|ld-|\[)`)
	stackStarts = []string{"main", "_start", "start", "runtime.goexit", "runtime.asmcgocall", "runtime.mstart"}
)

// brokenIn returns the file in which the chain of frame pointers of a recorded stack broke; nil if it did not break. If
// the chain reaches the interpreter of Python, the Python frames have the callers.
func (t *stackTable) brokenIn(recorded *wire.Stack, native []int32) *Image {
	if len(native) == 0 || recorded.CutNative {
		return nil
	}
	last := t.frames[native[len(native)-1]]
	if last.Image == nil || stackEnds.MatchString(last.Image.Path) || slices.Contains(stackStarts, last.Name) ||
		slices.ContainsFunc(native, func(n int32) bool { return t.frames[n].isInterpreter() }) {
		return nil
	}
	return last.Image
}
