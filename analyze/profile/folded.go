package profile

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// WriteFolded writes a profile as folded stacks for flame graph tools: one line per stack, outermost function first,
// separated by semicolons, then the value. The value is the profile's time or size, or the number of samples if it
// has neither. Process and thread are the outermost frames.
func WriteFolded(w io.Writer, p *profile.Profile) error {
	value := 0
	for i, t := range p.SampleType {
		if t.Type == p.DefaultSampleType && slices.ContainsFunc(p.Sample,
			func(s *profile.Sample) bool { return s.Value[i] != 0 }) {
			value = i
		}
	}
	sums := map[string]int64{}
	var order []string
	for _, s := range p.Sample {
		var frames []string
		for _, label := range []string{"process", "thread"} {
			frames = append(frames, s.Label[label]...)
		}
		for i := len(s.Location) - 1; i >= 0; i-- {
			lines := s.Location[i].Line
			for k := len(lines) - 1; k >= 0; k-- {
				frames = append(frames, lines[k].Function.Name)
			}
		}
		for i := range frames {
			frames[i] = foldedName.Replace(frames[i])
		}
		stack := strings.Join(frames, ";")
		if _, known := sums[stack]; !known {
			order = append(order, stack)
		}
		sums[stack] += s.Value[value]
	}
	slices.Sort(order)
	out := bufio.NewWriter(w)
	for _, stack := range order {
		if sums[stack] != 0 {
			fmt.Fprintf(out, "%s %d\n", stack, sums[stack])
		}
	}
	return out.Flush()
}

// foldedName replaces characters that would split a name into several frames or lines of the folded format.
var foldedName = strings.NewReplacer(";", ":", "\n", " ", "\r", " ")
