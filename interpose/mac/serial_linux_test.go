package mac

import (
	"os/exec"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
)

// Threads that pass through one serial dispatch queue contend for a lock: the verdict names the queue by its label, and
// the threads that ran blocks on it as its holders.
func (b *built) testSerialQueue(t *testing.T) {
	path, _, _ := b.traceTo(t, exec.Command(b.program(t, "serial")))
	trace, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	verdict := cause.Analyze(trace, cause.Options{}).Verdict
	if verdict.Cause != cause.LockContention {
		t.Fatalf("verdict %v: %s", verdict.Cause, verdict.Summary)
	}
	evidence := strings.Join(verdict.Causes[0].Evidence, "\n")
	t.Logf("%s\n%s", verdict.Summary, evidence)
	if !strings.Contains(evidence, "the lock com.example.stream: ") || !strings.Contains(evidence, "held by ") {
		t.Errorf("the evidence is\n%s", evidence)
	}
}
