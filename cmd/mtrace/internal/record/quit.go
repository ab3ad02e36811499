package record

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// quitQuietly makes SIGQUIT end mtrace with the default action, until stop is called. Go's runtime would print the
// stacks of all goroutines, which would look like a crash of mtrace to a user who cancels a command before the program
// has started; later the signal belongs to the program. It does not cover the first milliseconds, before Go code runs.
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

// leaveOnInterrupt ends mtrace on SIGINT while the report on a program that SIGINT has ended is prepared: a user who
// presses Ctrl-C again wants no report. The trace is kept. It is effective until stop is called.
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
