package record

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// quitQuietly makes SIGQUIT end mtrace without a message until stop is called. Go would print all goroutines'
// stacks, which looks like a crash to a user who cancels before the program has started. After stop, SIGQUIT is
// meant for the traced program.
func quitQuietly() (stop func()) {
	if signal.Ignored(syscall.SIGQUIT) {
		return func() {}
	}
	quit, over := make(chan os.Signal, 1), make(chan struct{})
	end := func() { os.Exit(128 + int(syscall.SIGQUIT)) } // the exit status that shells use for a signal
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

// leaveOnInterrupt makes SIGINT end mtrace while it prepares the report, until stop is called. It is used after
// SIGINT has ended the program: a user who then presses Ctrl-C again does not want the report. The trace is kept.
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
