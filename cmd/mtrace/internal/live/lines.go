package live

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A Lines writes one line of counts per second, in place of the live table, if the output is no terminal.
type Lines struct {
	stop    chan struct{}
	stopped sync.WaitGroup
	once    sync.Once
}

// NewLines starts a goroutine that writes the watcher's counts to out every second, until Close.
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

// Close ends the lines, and returns when no more will be written.
func (l *Lines) Close() {
	l.once.Do(func() { close(l.stop) })
	l.stopped.Wait()
}

// oneLine returns a picture's totals as one line of text.
func oneLine(p Picture) string {
	waiting := 0
	for _, t := range p.Threads {
		if t.State.Waits() {
			waiting++
		}
	}
	cut := ""
	if p.Failed != nil {
		cut = fmt.Sprintf("  THE TRACE IS CUT: further calls are counted but not written: %v", p.Failed)
	}
	if text := p.NoProgress(); text != "" {
		cut += "  " + text
	}
	return fmt.Sprintf("mtrace %s: %s, of which %d wait%s\n", p.Elapsed.Truncate(time.Second), figures(p), waiting, cut)
}
