package tracefile

// A Cut is the end of a trace that ends before its recording did.
type Cut struct {
	Why string `json:"why"` // one line
	// Unix time in nanoseconds up to which the recording is known; 0 if not known
	At  int64 `json:"at_unix_ns"`
	All bool  `json:"all_counted"` // records that were not kept were counted up to the end: nothing else is missing
}

// findCut gets the cut from the result, where the writer noted it, or else determines up to when the file reaches.
func findCut(r *Reader) {
	if r.result != nil && r.cut == nil && r.result.Cut != 0 {
		r.cut = &Cut{Why: r.result.Note, At: r.result.Cut, All: true}
	}
	if r.result != nil && r.cut == nil && r.result.Repaired != nil {
		r.cut = r.result.Repaired.Cut
	}
	if r.cut == nil || r.cut.At != 0 {
		return
	}
	for _, p := range r.processes {
		for _, e := range []*End{p.SoFar, p.End} {
			if e != nil {
				r.cut.At = max(r.cut.At, e.Unix)
			}
		}
	}
}

// Last returns the last known counters of the process: its end or, without one, the last SoFar. Nil if neither exists.
func (p *Process) Last() *End {
	if p.End != nil {
		return p.End
	}
	return p.SoFar
}
