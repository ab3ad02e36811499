package record

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// quitQuietly lets SIGQUIT end us as it ends others, until stop is called. Go's runtime takes it for a wish to see the
// stacks of all its goroutines: before the program is there, whose signal it then is, a user who takes back a command
// would read of a crash of ours. Of the first milliseconds, before a Go program gets to run, this can take nothing
// away.
func quitQuietly() (stop func()) {
	if signal.Ignored(syscall.SIGQUIT) {
		return func() {}
	}
	quit, over := make(chan os.Signal, 1), make(chan struct{})
	end := func() { os.Exit(128 + int(syscall.SIGQUIT)) } // as a shell says it
	signal.Notify(quit, syscall.SIGQUIT)
	go func() {
		select {
		case <-quit:
			end()
		case <-over:
		}
	}()
	return func() {
		signal.Stop(quit)
		close(over)
		select {
		case <-quit: // it came while nothing had been started
			end()
		default:
		}
	}
}

// leaveOnInterrupt ends us on SIGINT while the report of a program that SIGINT has ended is made: whoever presses
// Ctrl-C again wants no report, and keeps the trace. It holds until stop is called.
func (s *session) leaveOnInterrupt(out io.Writer, status int) (stop func()) {
	again, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(again, syscall.SIGINT)
	go func() {
		select {
		case <-again:
			fmt.Fprintf(out, "mtrace run: no report; the trace is %s\n", s.path)
			os.Exit(status)
		case <-over:
		}
	}()
	return func() {
		signal.Stop(again)
		close(over)
	}
}
