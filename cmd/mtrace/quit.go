package main

import (
	"os"
	"os/signal"
	"syscall"
)

// quitQuietly lets SIGQUIT end us as it ends others, until stop is called. Go's runtime takes it for a wish to see the stacks of all its
// goroutines: before the program is there, whose signal it then is, a user who takes back a command would read of a crash of ours. Of the
// first milliseconds, before a Go program gets to run, this can take nothing away.
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
