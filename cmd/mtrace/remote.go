package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"mtrace/collector/relay"
	"mtrace/collector/tracefile"
)

// A remoteTrace is a trace that is written on another machine while it is made.
type remoteTrace struct {
	*relay.Sender
	address string
}

// dialRemote connects to `mtrace collect` at an address like tcp://HOST:PORT. Name is what the trace is called there.
func dialRemote(address, name string) (*remoteTrace, error) {
	network, target, err := relay.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	if network != "tcp" {
		return nil, fmt.Errorf("--collector %s: a collector of this machine needs no relay; give the program MTRACE_SOCKET=%s, or --collector tcp://HOST:PORT", address, target)
	}
	token := os.Getenv(tokenVariable)
	if token == "" {
		return nil, fmt.Errorf("--collector needs the token that mtrace collect has: set %s", tokenVariable)
	}
	sender, err := relay.Dial(context.Background(), target, token, name)
	if err != nil {
		return nil, err
	}
	return &remoteTrace{sender, address}, nil
}

// create begins the trace of a session: in its file, or at the collector that the user named.
func (s *session) create(o runOptions, info tracefile.Info) (err error) {
	switch {
	case o.collector != "":
		if s.remote, err = dialRemote(o.collector, s.base); err == nil {
			s.writer, err = tracefile.NewWriter(s.remote, info)
		}
	case o.output != "":
		s.base = ""
		s.file, err = beginTrace(o.output, o.force)
	default:
		s.file, err = beginUnnamed(".", s.base)
	}
	if s.file != nil {
		s.path = s.file.path
		if s.writer, err = tracefile.NewWriter(s.file, info); err != nil {
			s.file.discard()
		}
	}
	var wrong status
	if errors.As(err, &wrong) {
		return err
	}
	if err != nil {
		return fmt.Errorf("cannot write the trace: %w", err)
	}
	return nil
}

// checkRemote says what does not go together with a remote collector.
func (o *runOptions) checkRemote() error {
	if o.collector == "" {
		return nil
	}
	if o.output != "" {
		return usageError("--collector sends the trace away and -o keeps it here: give one of them")
	}
	if o.view.json || len(o.view.sections) > 0 {
		return usageError("the report is made where the trace is: mtrace report there")
	}
	if _, _, err := relay.ParseAddress(o.collector); err != nil {
		return usageError("--collector: %w", err)
	}
	o.noReport = true
	return nil
}

// tellWhere says where the trace is, when that is not here.
func (s *session) tellWhere(w io.Writer) {
	if s.remote != nil && s.remote.Path() != "" {
		fmt.Fprintf(w, "mtrace: the trace is %s on %s\n", s.remote.Path(), s.remote.address)
	}
}
