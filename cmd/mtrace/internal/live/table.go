package live

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/gdamore/tcell/v2"
)

// A Table shows the live table of threads on a terminal's alternate screen, and handles its keys. While it is shown,
// Held keeps the program's output.
type Table struct {
	Held     *Held
	watcher  *Watcher
	keyboard *keyboard
	screen   tcell.Screen
	resized  chan os.Signal // SIGWINCH: the program's terminal gets the new size even if the table is not shown
	mutex    sync.Mutex     // guards the screen
	gone     bool           // the table is closed and is not shown again
	aside    bool           // the table is hidden while a shell has the terminal
	view     view
	shown    Picture
	over     chan struct{}
	stopped  sync.WaitGroup
}

// refresh is how often the table is updated.
const refresh = 500 * time.Millisecond

// CanTable reports whether the live table can be shown on the file: it must be this process's controlling terminal,
// in the foreground, and able to move the cursor (TERM).
func CanTable(file *os.File) bool {
	if kind := os.Getenv("TERM"); kind == "" || kind == "dumb" || !SameTerminal(file, file) {
		return false
	}
	k, err := openKeyboard()
	if err != nil {
		return false
	}
	defer k.end()
	return k.inForeground()
}

// NewTable prepares the live table on the controlling terminal; Show shows it.
func NewTable(w *Watcher) (*Table, error) {
	keyboard, err := openKeyboard()
	if err != nil {
		return nil, err
	}
	screen, err := tcell.NewTerminfoScreenFromTty(keyboard)
	if err != nil {
		keyboard.end()
		return nil, err
	}
	held, err := Hold()
	if err != nil {
		keyboard.end()
		return nil, err
	}
	return &Table{Held: held, watcher: w, keyboard: keyboard, screen: screen, resized: make(chan os.Signal, 1),
		gone: true, over: make(chan struct{})}, nil
}

// Show shows the table. If the terminal cannot be taken over, no table appears and the program's output goes to the
// terminal.
func (t *Table) Show() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	signal.Notify(t.resized, syscall.SIGWINCH)
	t.stopped.Go(func() {
		for range t.resized {
			if t.Held.Resized() {
				// Signal the process group again: a process that has already handled SIGWINCH read the pseudo-terminal's
				// old size.
				syscall.Kill(0, syscall.SIGWINCH)
			}
		}
	})
	if !t.keyboard.inForeground() || t.screen.Init() != nil {
		t.watcher.Stop()
		t.Held.Release()
		return
	}
	t.gone = false
	events := make(chan tcell.Event, 16)
	go t.screen.ChannelEvents(events, t.over)
	t.stopped.Go(func() {
		defer t.hide() // on a panic, too
		t.run(events)
	})
}

func (t *Table) run(events <-chan tcell.Event) {
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	t.draw()
	for {
		select {
		case <-t.over:
			return
		case <-t.Held.Full:
			return
		case now := <-tick.C:
			if t.view.paused {
				t.watcher.Picture(now) // resets the rates, so that the next picture does not include the pause
			} else {
				t.shown = t.watcher.Picture(now)
			}
		case e, ok := <-events:
			if !ok || t.event(e) {
				return
			}
			if len(events) > 0 { // more keys wait, as after pasting: draw only once
				continue
			}
		}
		t.draw()
	}
}

// event handles a key or a new size, and reports whether the table must close.
func (t *Table) event(e tcell.Event) (quit bool) {
	switch e := e.(type) {
	case *tcell.EventError:
		return true // the terminal is gone, or another process has it
	case *tcell.EventResize:
		t.mutex.Lock()
		if !t.aside && !t.gone {
			t.screen.Sync()
		}
		t.mutex.Unlock()
	case *tcell.EventKey:
		switch {
		case e.Rune() == 'q' || e.Key() == tcell.KeyEscape:
			return true
		case e.Rune() == 's' || e.Key() == tcell.KeyRight:
			t.view.order = (t.view.order + 1) % orders
		case e.Rune() == 'S' || e.Key() == tcell.KeyLeft:
			t.view.order = (t.view.order + orders - 1) % orders
		case e.Rune() == 'p' || e.Rune() == ' ':
			t.view.paused = !t.view.paused
		}
	}
	return false
}

var styles = map[style]tcell.Style{
	plain:   tcell.StyleDefault,
	bold:    tcell.StyleDefault.Bold(true),
	reverse: tcell.StyleDefault.Reverse(true),
	dim:     tcell.StyleDefault.Dim(true),
	waits:   tcell.StyleDefault.Foreground(tcell.ColorOlive),
	alarm:   tcell.StyleDefault.Foreground(tcell.ColorMaroon).Bold(true),
}

func (t *Table) draw() {
	if !t.view.paused {
		t.view.output = t.Held.Last()
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.gone || t.aside { // the library would draw for ever on a released screen
		return
	}
	width, height := t.screen.Size()
	t.screen.Clear()
	for y, l := range layout(t.shown, t.view, width, height) {
		style := styles[l.style]
		if os.Getenv("NO_COLOR") != "" {
			style = style.Foreground(tcell.ColorDefault)
		}
		t.screen.PutStrStyled(0, y, l.text, style)
	}
	t.screen.Show()
}

// hide closes the table for good, and writes the program's collected output to the terminal.
func (t *Table) hide() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !t.gone {
		t.gone = true
		t.drained(t.screen.Fini)
	}
	t.watcher.Stop()
	t.Held.Release()
}

// drained calls `give`, which makes tcell release the screen, and empties tcell's queue of typed keys meanwhile.
// tcell waits for space in that queue before it releases the screen. After q nobody else reads the queue, so pasted
// text could fill it and mtrace would hang.
func (t *Table) drained(give func()) {
	typed := t.screen.(interface{ EventQ() chan tcell.Event }).EventQ()
	given := make(chan struct{})
	go func() {
		for {
			select {
			case <-given:
				return
			case <-typed:
			}
		}
	}()
	t.keyboard.hush()
	give()
	close(given)
}

// Suspend releases the terminal while the program is stopped (^Z), so that the shell can use it.
func (t *Table) Suspend() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if !t.gone {
		t.aside = true
		t.drained(func() { t.screen.Suspend() })
	}
}

// Resume shows the table again after the program was stopped. If this process is now in the background, the table is
// closed for good.
func (t *Table) Resume() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.gone {
		return
	}
	t.aside = false
	if t.keyboard.inForeground() && t.screen.Resume() == nil {
		return
	}
	t.gone = true
	t.watcher.Stop()
	t.Held.Release()
}

// Close closes the table, and returns when all of the program's output is on the terminal. Further calls do nothing.
func (t *Table) Close() {
	select {
	case <-t.over:
		return
	default:
		close(t.over)
	}
	t.hide()
	signal.Stop(t.resized)
	close(t.resized)
	t.stopped.Wait()
	t.Held.Finish()
	t.keyboard.end()
}
