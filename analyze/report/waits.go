package report

import (
	"cmp"
	"fmt"

	"mtrace/analyze/evidence"
)

// Exclusion is the result of a test whether threads exclude each other, for intervals of one kind, such as open
// encoders.
type Exclusion struct {
	What   string  `json:"what"`
	Index  float64 `json:"index"`
	PValue float64 `json:"p_value"`
	QValue float64 `json:"q_value"` // p_value, adjusted for the number of tests (Benjamini–Hochberg)
	// for threads that are independent of each other, 95% of indexes lie between independent_low and independent_high
	NullLow   float64 `json:"independent_low"`
	NullHigh  float64 `json:"independent_high"` // upper end of this range
	Threads   int     `json:"threads"`
	Intervals int     `json:"intervals"`
}

// Interference is the result of a test whether a call takes longer while other threads are inside the same call.
type Interference struct {
	What    string  `json:"what"`
	Calls   int     `json:"calls"`
	Rho     float64 `json:"rho"` // rank correlation of a call's duration with the number of calls in progress at its begin
	RhoLow  float64 `json:"rho_low"`
	RhoHigh float64 `json:"rho_high"`
	PValue  float64 `json:"p_value"`
	QValue  float64 `json:"q_value"`
	// service time of queued calls, as a share of that of calls alone: 0.8 to 0.9 behind one lock, 0.3 to 0.6 without
	// a lock; 0 when not known
	OneServer float64 `json:"one_server"`
	HandOff   bool    `json:"hand_off"` // calls end one after the other with a regular time between
	Kind      string  `json:"kind"`     // "none", "one at a time" or "unknown"
	SoloNS    int64   `json:"solo_ns"`
	LostNS    int64   `json:"lost_ns"`
}

func exclusion(e evidence.Exclusion) Exclusion {
	return Exclusion{e.What, e.Index, e.PValue, e.QValue, e.Low, e.High, e.Threads, e.Intervals}
}

func interference(i evidence.Interference) Interference {
	out := Interference{What: i.What, Calls: i.Calls, Rho: i.Rho, RhoLow: i.RhoLow, RhoHigh: i.RhoHigh,
		PValue:    i.PValue,
		QValue:    i.QValue,
		OneServer: i.OneServer, HandOff: i.HandOff, Kind: "none"}
	switch {
	case i.OneAtATime():
		out.Kind = "one at a time"
	case i.Interferes():
		out.Kind = "unknown"
	}
	if out.Kind != "none" {
		out.SoloNS, out.LostNS = int64(i.Solo), int64(i.Lost)
	}
	return out
}

// exclusionWords describes the kinds of intervals for which mutual exclusion is tested.
var exclusionWords = map[string]string{"gpu": "work on the GPU", "encoders": "open encoders",
	"waits": "waits for the GPU"}

// index formats a mutual exclusion index, which is 1 − overlap / overlap by chance: 1 means that the intervals never
// overlap, 0 that they overlap as often as by chance. All values below −1 are shown as "<-1", because there the
// divisor decides: if little overlap is expected by chance, any overlap gives a very low index.
func index(x float64) string {
	if x < -1 {
		return "<-1"
	}
	return fmt.Sprintf("%.2f", x)
}

func writeWaits(w *sheet, r *Report) {
	s := &r.Serialization
	if s.LockMatrix.equal(s.WaitMatrix) {
		writeMatrix(w, r, "who waits for whom", "the row's thread waits for a lock that the column's thread holds",
			s.LockMatrix)
	} else {
		writeMatrix(w, r, "who waits for whom",
			"the row's thread waits for command buffers, or for a lock, of the column's thread",
			s.WaitMatrix)
		writeMatrix(w, r, "who waits for whose lock", "the row's thread waits for a lock that the column's thread holds",
			s.LockMatrix)
	}
	writeMatrix(w, r, "who is queued behind whom",
		"the row's thread has work queued while the GPU runs work of the column's thread", s.QueuedMatrix)
	if len(s.MutualExclusion) > 0 {
		writeHeading(w, "do threads exclude each other?", "1: never at the same time; "+
			"0: as often as by chance; below 0: more often")
		t := &table{heads: []string{"what", "index", "by chance", "p", "threads", "intervals"}, left: 1}
		for _, e := range s.MutualExclusion {
			t.add(cmp.Or(exclusionWords[e.What], e.What), index(e.Index), index(e.NullLow)+" to "+index(e.NullHigh),
				fmt.Sprintf("%.3f", e.PValue), formatCount(e.Threads), formatCount(e.Intervals))
		}
		t.write(w)
	}
}
