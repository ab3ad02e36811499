package main

import (
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/explain"
)

// `mtrace explain` prints what to do about each verdict and insight. TestVerdictsOnPage of analyze/report compares the
// page's list of verdicts with the code's.
func TestExplainHasAdvice(t *testing.T) {
	for _, name := range append(explain.Verdicts(), explain.Insights()...) {
		_, paragraphs := explain.Find(name)
		if text := strings.Join(paragraphs, "\n"); !strings.Contains(text, "What to do: ") {
			t.Errorf("%s: the section has no advice: %s", name, text)
		}
	}
}

func TestExplain(t *testing.T) {
	all := sh(t, "", nil, tool.mtrace, "explain")
	if all.exit != 0 || !strings.Contains(all.stdout,
		"device-wide-sync       Threads wait until the whole device is idle, although each needs only its own\n") {
		t.Errorf("%+v", all)
	}
	for _, name := range []string{"queue-depth", "QUEUE-DEPTH", "queue depth"} {
		got := sh(t, "", []string{"COLUMNS=60"}, tool.mtrace, "explain", name)
		if got.exit != 0 || got.stderr != "" ||
			!strings.HasPrefix(got.stdout, "QUEUE-DEPTH\nA queue is full, and threads wait until one of its command\n"+
				"buffers completes.\n\nA command queue holds 64 ") {
			t.Errorf("%+v", got)
		}
	}
	if got := sh(t, "", nil, tool.mtrace, "explain", "slow"); got.exit != cli.ExitUsage ||
		got.stderr != `mtrace explain: unknown verdict, insight or term "slow": mtrace explain lists all`+"\n" {
		t.Errorf("%+v", got)
	}
	if got := sh(t, "", nil, tool.mtrace, "explain", "tiny-command-bufers"); !strings.Contains(got.stderr,
		"(did you mean tiny-command-buffers?)") {
		t.Errorf("%+v", got)
	}
	if got := sh(t, "", nil, tool.mtrace, "explain", "overhead"); !strings.Contains(got.stdout, "(docs/overhead.md)") ||
		strings.Contains(got.stdout, "](") {
		t.Errorf("a link is printed as Markdown: %+v", got)
	}
	for asked, want := range map[string]string{"gil": "GIL", "GIL": "GIL", "_PyRuntime": "GIL",
		"DEVICE_WIDE_SYNC": "DEVICE-WIDE-SYNC", "wake": "NOTIFY",
		"wait_foreign_ns": "CROSS-THREAD", "q.oth": "QUEUED", "confidence": "CONFIDENCE", "close call": "CONFIDENCE",
		"software Metal": "SOFTWARE METAL", "not identified": "KERNEL TIME", "fitted": "KERNEL TIME",
		"in flight": "IN FLIGHT", "overhead": "OVERHEAD", "window_ns": "WINDOW", "device wide": "DEVICE-WIDE-SYNC"} {
		if got := sh(t, "", nil, tool.mtrace, "explain", asked); got.exit != 0 || !strings.HasPrefix(got.stdout, want+"\n") {
			t.Errorf("explain %s: %+v", asked, got)
		}
	}
}
