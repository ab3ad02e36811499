package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/fixtures/scenarios"
)

// Threads that wait for the last command buffer in flight, whoever committed it, synchronize with the whole device in
// whichever way they wait. By a semaphore that its completed handler signals the verdict was "none".
func TestLastInFlight(t *testing.T) {
	needTruth(t)
	if out, err := saidBy(exec.Command("../../fixtures/scenarios/programs/build.sh", tool.dir), commandLimit); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tools := scenarios.Tools{Bin: tool.dir}
	tried := 0
	for _, s := range scenarios.All {
		if !strings.HasPrefix(s.Name, "last-") {
			continue
		}
		tried++
		ofFourRecordings(t, func(t *testing.T, milliseconds int) string {
			recording, err := s.Record(tools, scenarios.Run{Seed: 1, Milliseconds: milliseconds},
				filepath.Join(t.TempDir(), "t.mtrace"))
			if err != nil {
				t.Fatal(err)
			}
			found, err := recording.Judge(tools)
			if err != nil {
				t.Fatal(err)
			}
			lost, _ := found.Lost(s.Verdict)
			truth := recording.Truth.LostNS
			named, _ := found.Named(recording.Truth)
			// on a machine whose processors others use, handlers run late, and that costs about as much
			late := s.Name == "last-handler" && found.Verdict == "completion-handlers"
			if found.Verdict != s.Verdict && !late || 3*lost < 2*truth || 2*lost > 3*truth || named < 0.6 {
				return fmt.Sprintf("%s: %s; %d ns lost, and %d in truth; of these %.0f%% to the right thread", s.Name,
					found.Verdict, lost, truth, 100*named)
			}
			return ""
		})
	}
	if tried != 4 {
		t.Errorf("%d programs", tried)
	}
}
