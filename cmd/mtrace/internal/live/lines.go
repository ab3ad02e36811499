package live

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A Lines writes one line per second, if there is no terminal for a table.
type Lines struct {
	stop    chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
}

// NewLines starts writing the watcher's counts.
func NewLines(out io.Writer, w *Watcher) *Lines {
	l := &Lines{stop: make(chan struct{})}
	l.stopped.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case now := <-tick.C:
				io.WriteString(out, oneLine(w.Picture(now)))
			case <-l.stop:
				return
			}
		}
	})
	return l
}

// Close ends them.
func (l *Lines) Close() {
	l.once.Do(func() { close(l.stop) })
	l.stopped.Wait()
}

// oneLine formats a picture as a line, which is written at once.
func oneLine(p Picture) string {
	waiting := 0
	for _, t := range p.Threads {
		if t.State.Waits() {
			waiting++
		}
	}
	cut := ""
	if p.Failed != nil {
		cut = fmt.Sprintf("  THE TRACE IS CUT, calls are only counted: %v", p.Failed)
	}
	if text := p.NoProgress(); text != "" {
		cut += "  " + text
	}
	return fmt.Sprintf("mtrace %s: %s, of which %d wait%s\n", p.Elapsed.Truncate(time.Second), figures(p), waiting, cut)
}
