package policy

// The words for a verdict's confidence (0 to 1) in reports. `mtrace explain confidence` explains them to users.
const (
	// ClearVerdict is the smallest confidence of a verdict that reports call "clear". A verdict reaches it only if
	// the trace contains the cost or the wait itself (Recorded, Shown) and no other cause explains as much.
	ClearVerdict = 0.8
	// LikelyVerdict is the smallest confidence of a "likely" verdict. A verdict with less is called a "close call".
	LikelyVerdict = 0.5
)
