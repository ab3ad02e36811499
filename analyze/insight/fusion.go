package insight

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/policy"
)

// fusion reports kernels that nearly always follow each other directly, so that one kernel could do the work of both.
func fusion(in *Input) *Insight {
	if len(in.Fusions) == 0 {
		if len(in.Kernels) > 0 && !hasDispatches(in.Trace) {
			return skip("no dispatch is in the trace")
		}
		return nil
	}
	i := &Insight{Severity: Info}
	var said []string
	for k := range in.Fusions {
		f := &in.Fusions[k]
		i.Cost += f.Saved
		if k < policy.NamedSites {
			said = append(said, fmt.Sprintf(
				"%s follow each other directly %d times (%s of the cases), which costs about %s of launching",
				strings.Join(f.Kernels, " + "), f.Count,
				analyze.FormatShare(f.Share), f.Saved))
		}
	}
	i.Evidence = strings.Join(said, "; ")
	if more := len(in.Fusions) - len(said); more > 0 {
		i.Evidence += fmt.Sprintf("; %d more", more)
	}
	i.Where = dispatchSites(in.Trace, &in.Fusions[0])
	return i
}

func hasDispatches(t *analyze.Trace) bool {
	for b := range t.Buffers() {
		for i := range b.Encoders {
			if len(b.Encoders[i].Dispatches) > 0 {
				return true
			}
		}
	}
	return false
}

// dispatchSites returns the places in the program that dispatch the kernels of f.
func dispatchSites(t *analyze.Trace, f *kernels.Fusion) []Site {
	var where sites
	for b := range t.Buffers() {
		for i := range b.Encoders {
			e := &b.Encoders[i]
			for d := range e.Runs() {
				for _, k := range f.Kernels {
					if d.Pipeline != nil && d.Pipeline.Kernel == k {
						where.add(&analyze.Call{Thread: e.Created.Thread, Stack: d.Stack}, "dispatch of "+k, "",
							d.Count, 0, 0)
						break
					}
				}
			}
		}
	}
	return where.most()
}
