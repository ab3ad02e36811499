package main

import "testing"

// ofFourRecordings fails the test if each of four recordings is judged wrongly. A verdict and shares of time belong to
// one recording, and a machine that stands still for 0.1 s at a time spoils some recordings; an error of the analysis
// shows in all of them. record makes a recording, longer at each attempt, and returns what is wrong, "" if nothing is.
func ofFourRecordings(t *testing.T, record func(t *testing.T, milliseconds int) (wrong string)) {
	t.Helper()
	for attempt := range 4 {
		wrong := record(t, 500<<attempt)
		if wrong == "" {
			return
		}
		t.Logf("recording %d: %s", attempt+1, wrong)
	}
	t.Error("each of four recordings is judged wrongly")
}
