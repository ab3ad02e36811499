package loading

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
)

// ShowSteps returns a function that prints the progress, speed and remaining time of reading a long trace. It prints
// nothing if standard error is no terminal.
func ShowSteps(std cli.Stdio, path string, file *analyze.File, asked analyze.Options) func(done, of int) {
	return ShowTasks(std, path, file, asked, 1)[0]
}

// ShowTasks is ShowSteps for several concurrent tasks. It returns a function for each task, and prints the progress of
// the task that will end last.
func ShowTasks(std cli.Stdio, path string, file *analyze.File, asked analyze.Options, tasks int) []func(done,
	of int) {
	p := &progress{tasks: make([]task, tasks), began: time.Now(), name: analyze.Printable(filepath.Base(path))}
	if term.IsTerminal(int(std.Err.Fd())) {
		p.out = std.Err
		p.records = float64(min(file.Records(), ProfiledRecords*int64(len(file.Ranges(asked, ProfiledRecords)))))
	}
	steps := make([]func(int, int), tasks)
	for i := range steps {
		steps[i] = func(done, of int) { p.step(&p.tasks[i], done, of, time.Since(p.began)) }
	}
	return steps
}

// progress prints one line about concurrent tasks that read the same trace.
type progress struct {
	out     *os.File // nil prints nothing
	name    string
	records float64
	began   time.Time

	mutex sync.Mutex // tasks call step concurrently
	tasks []task
}

// A task is one of the concurrent tasks: how many of its steps are done, and how many it has.
type task struct{ done, of int }

// left returns how long the task will still take if its steps take the same time as before.
func (t task) left(took time.Duration) time.Duration {
	return time.Duration(float64(took) * float64(t.of-t.done) / float64(t.done))
}

// step is called when a task has done some of its steps; took is the time since the tasks began. It prints the
// line, or clears it when all tasks are done. It prints at every step, because several steps often end at once,
// and only after the last of them is the remaining time right.
func (p *progress) step(of *task, done, steps int, took time.Duration) {
	if p.out == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	*of = task{done, steps}
	last := p.tasks[0]
	for _, t := range p.tasks {
		if t.done == 0 {
			return // the remaining time is not known yet
		}
		if t.left(took) > last.left(took) {
			last = t
		}
	}
	if last.done == last.of {
		fmt.Fprint(p.out, "\r\x1b[K")
		return
	}
	rate := p.records * float64(last.done) / float64(last.of) / took.Seconds()
	fmt.Fprintf(p.out, "\r\x1b[K%s %s, %.1f million records/s, %v left\r", cli.Bar(last.done, last.of), p.name, rate/1e6,
		roundedLeft(last.left(took)))
}

// roundedLeft rounds a remaining time to seconds, or to tenths if it is short.
func roundedLeft(left time.Duration) time.Duration {
	if left < 10*time.Second {
		return left.Round(100 * time.Millisecond)
	}
	return left.Round(time.Second)
}
