package loading

import (
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestRemainingTime: the line shows the task that will end last, and nothing before every task has done a step.
func TestRemainingTime(t *testing.T) {
	type step struct {
		task, done, of int
		took           time.Duration
	}
	for _, c := range []struct {
		name  string
		tasks int
		steps []step
		want  string // the times in the printed lines
	}{
		{"one task", 1, []step{{0, 8, 32, time.Second}, {0, 16, 32, 2 * time.Second}}, "3s 2s"},
		{"tenths below ten seconds", 1, []step{{0, 3, 5, time.Second}, {0, 1, 20, time.Second}}, "700ms 19s"},
		{"the slower of two", 2, []step{{0, 1, 2, time.Second}, {1, 1, 5, time.Second}, {1, 4, 5, 2 * time.Second}},
			"4s 2s"},
		{"the end", 2, []step{{0, 2, 2, time.Second}, {1, 1, 2, time.Second}, {1, 2, 2, 2 * time.Second}}, "1s"},
		{"nothing is done yet", 1, []step{{0, 0, 5, 0}, {0, 1, 5, time.Second}}, "4s"},
		{"the first has ended", 2, []step{{1, 2, 2, time.Second}, {0, 1, 2, time.Second}}, "1s"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		p := &progress{out: w, name: "trace", tasks: make([]task, c.tasks)}
		for _, s := range c.steps {
			p.step(&p.tasks[s.task], s.done, s.of, s.took)
		}
		w.Close()
		text, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range regexp.MustCompile(`(\S+) left`).FindAllStringSubmatch(string(text), -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, wanted %q", c.name, got, c.want)
		}
	}
}
