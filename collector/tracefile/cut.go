package tracefile

// A Cut describes the end of a trace whose file ends before the recording did, for example because the disk was full.
type Cut struct {
	Why string `json:"why"` // one line
	// Unix time in nanoseconds of the last data in the file; 0 if it is not known
	At  int64 `json:"at_unix_ns"`
	All bool  `json:"all_counted"` // the records after the cut were counted, so it is known how many are missing
}

// findCut completes r.cut, which describes where the recording was cut off. It takes the cut from the Result if the
// writer noted one there, and the time of the last data from the latest counters in the file.
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

// Last returns the last known counters of the process: the counters at its end or, if the trace lacks its end, the
// last ones written during the recording. It returns nil if there are none.
func (p *Process) Last() *End {
	if p.End != nil {
		return p.End
	}
	return p.SoFar
}
