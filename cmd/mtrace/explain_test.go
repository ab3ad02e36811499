package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/explain"
)

// docs/verdicts.md, which `mtrace explain` prints, has a section with advice for each verdict in docs/vocabulary.md.
func TestExplainHasEveryVerdict(t *testing.T) {
	vocabulary, err := os.ReadFile("../../docs/vocabulary.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(vocabulary), "## Verdicts\n")
	table, _, _ = strings.Cut(table, "\n## ")
	want := []string{"foreign-gpu-load"} // a cause that is no verdict
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|").FindAllStringSubmatch(table, -1) {
		want = append(want, m[1])
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(explain.Verdicts())); !slices.Equal(got, want) {
		t.Errorf("explained are %v, there are %v", got, want)
	}
	for _, name := range explain.Verdicts() {
		_, paragraphs := explain.Find(name)
		if text := strings.Join(paragraphs, "\n"); !strings.Contains(text, "What to do: ") {
			t.Errorf("%s: the section has no advice: %s", name, text)
		}
	}
}

func TestExplain(t *testing.T) {
	all := sh(t, "", nil, tool.mtrace, "explain")
	if all.exit != 0 || !strings.Contains(all.stdout,
		"device-wide-sync    Threads wait until the whole device is idle, although each needs only its own\n") {
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
		!strings.HasPrefix(got.stderr, `mtrace explain: unknown verdict or term "slow": mtrace explains device-wide-sync, `) {
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
