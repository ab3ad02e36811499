package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The stories: threads of Python that held a threading.Lock for half of their work were reported to wait for signals,
// as idle threads do. An executor of one thread, with three items of work at a time from other threads, was not
// mentioned at all.
func TestPythonThreadsInEachOthersWay(t *testing.T) {
	needTruth(t)
	programs, err := filepath.Abs("../../fixtures/scenarios/programs")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ program, verdict, said string }{
		{"lock", "lock-contention", "held by"},
		// on a busy machine three of the four do
		{"executor", "single-submitter", "other threads pass work to it and wait for its signal"},
	} {
		t.Run(c.program, func(t *testing.T) {
			ofFourRecordings(t, func(t *testing.T, milliseconds int) string {
				trace := filepath.Join(t.TempDir(), "t.mtrace")
				env := []string{"SOFTMETAL_TIMED=1", "SOFTMETAL_ENGINES=8", "PYTHONPATH=" + programs, "PYTHONDONTWRITEBYTECODE=1"}
				r := sh(t, "", env, tool.mtrace, "run", "--no-report", "-o", trace, "--", "/usr/bin/python3",
					"testdata/handing.py", c.program, strconv.Itoa(milliseconds))
				if r != (outcome{}) {
					t.Fatalf("%+v", r)
				}
				s := reportOf(t, trace).Serialization
				if s.Verdict == "cpu-bound" { // then that cost these threads more than each other did
					t.Skip("other programs kept the processors busy: ", s.Summary)
				}
				if s.Verdict == c.verdict && strings.Contains(strings.Join(s.Causes[0].Evidence, "\n"), c.said) {
					return ""
				}
				return fmt.Sprintf("%s: %s %+v", s.Verdict, s.Summary, s.Causes)
			})
		})
	}
}
