package policy

// The words for a verdict's confidence (0…1) in reports; `mtrace explain confidence` states them.
const (
	// ClearVerdict is the least confidence of a verdict that is called clear: what costs the time is in the trace itself
	// (Recorded, Shown), and no other cause explains as much.
	ClearVerdict = 0.8
	// LikelyVerdict is the least confidence of a verdict that is called likely; below it, it is a close call.
	LikelyVerdict = 0.5
)
