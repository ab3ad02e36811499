package policy

// The words for a verdict's confidence (0…1) in reports; `mtrace explain confidence` defines them.
const (
	// ClearVerdict is the minimum confidence of a "clear" verdict: the trace itself contains the cost (Recorded,
	// Shown), and no other cause explains as much.
	ClearVerdict = 0.8
	// LikelyVerdict is the minimum confidence of a "likely" verdict; below it, the verdict is a "close call".
	LikelyVerdict = 0.5
)
