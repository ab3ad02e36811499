package relay

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"
)

// request is what a sender says before the trace: one line of JSON.
type request struct {
	Schema string `json:"schema"` // requestSchema
	Name   string `json:"name"`   // what to call the file, without its folder and ending
}

// answer is what the receiver says behind it: one line of JSON.
type answer struct {
	Path  string `json:"path,omitempty"` // on the receiver's machine
	Bytes int64  `json:"bytes"`
	Error string `json:"error,omitempty"`
}

const requestSchema = "mtrace.relay/1"

// sendPatience is how long a write may take before the receiver counts as gone.
const sendPatience = 30 * time.Second

// A Sender is the stream for tracefile.NewWriter that goes to a receiver.
type Sender struct {
	conn    *tls.Conn
	address string
	path    string
}

// Dial connects to a receiver at HOST:PORT. Name is what the trace is to be called there.
func Dial(ctx context.Context, address, token, name string) (*Sender, error) {
	if err := CheckToken(token); err != nil {
		return nil, err
	}
	raw, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect to the collector: %w", err)
	}
	s := &Sender{conn: tls.Client(raw, senderTLS()), address: address}
	if err := authenticate(s.conn, token, true); err != nil {
		s.conn.Close()
		return nil, fmt.Errorf("connect to the collector at %s: %w", address, err)
	}
	line, err := json.Marshal(request{requestSchema, name})
	if err == nil {
		_, err = s.Write(append(line, '\n'))
	}
	if err != nil {
		s.conn.Close()
		return nil, err
	}
	return s, nil
}

// Write sends a part of the trace. When that fails, the error is what the receiver said, if it did.
func (s *Sender) Write(b []byte) (int, error) {
	s.conn.SetWriteDeadline(time.Now().Add(sendPatience))
	n, err := s.conn.Write(b)
	if err != nil {
		if _, said := s.hear(time.Second); said != nil && said != errSilent {
			err = said
		}
		return n, fmt.Errorf("send to the collector at %s: %w", s.address, err)
	}
	return n, nil
}

// errSilent says that the receiver did not say what became of the trace.
var errSilent = errors.New("it did not say whether it has the trace")

// hear reads the receiver's answer: the error is one it reports, or errSilent.
func (s *Sender) hear(wait time.Duration) (a answer, err error) {
	s.conn.SetReadDeadline(time.Now().Add(wait))
	line, err := bufio.NewReader(s.conn).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &a) != nil {
		return a, errSilent
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

// Close ends the trace and waits until the receiver has it.
func (s *Sender) Close() error {
	defer s.conn.Close()
	s.conn.SetWriteDeadline(time.Now().Add(sendPatience))
	if err := s.conn.CloseWrite(); err != nil {
		return fmt.Errorf("send to the collector at %s: %w", s.address, err)
	}
	a, err := s.hear(sendPatience)
	if err != nil {
		return fmt.Errorf("send to the collector at %s: %w", s.address, err)
	}
	s.path = a.Path
	return nil
}

// Path is where the trace is on the receiver's machine, once Close has returned nil.
func (s *Sender) Path() string { return s.path }
