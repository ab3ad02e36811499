package tracefile

// A Cut is the end of a trace that ends before its recording did.
type Cut struct {
	Why string `json:"why"` // one line
	// Unix time in nanoseconds up to which something is known of the recording; 0 when that is not known
	At  int64 `json:"at_unix_ns"`
	All bool  `json:"all_counted"` // records that were not kept were counted to the end: nothing else is missing
}

// Cut says that the trace is cut, and where; nil when it is not, which does not say that the file is undamaged.
func (r *Reader) Cut() *Cut { return r.cut }

// Truncated says whether the file is cut, and how much of it could not be read: one line.
func (r *Reader) Truncated() (bool, string) {
	if r.cut == nil {
		return false, ""
	}
	return true, r.cut.Why
}

// findCut takes a cut out of the result, where the writer put it, and finds out up to when a file without one reaches.
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

// Last is the last that the process is known to have counted: its end or, without one, what it had counted when the
// collector last looked. Nil when neither is there.
func (p *Process) Last() *End {
	if p.End != nil {
		return p.End
	}
	return p.SoFar
}
