package relay

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// silence is how long a sender waits for the next answer before it connects again. It must be several heartbeats
	// of the receiver.
	silence = 10 * time.Second
	// sendPatience is how long one write to the connection may block before the sender connects again.
	sendPatience = 30 * time.Second
	// The pause between two attempts to connect grows from firstPause to longestPause.
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
	// sendAtOnce is the number of bytes that are read from the spool (the copy on disk) and sent at a time.
	sendAtOnce = 256 << 10
)

// SenderOptions configure a Sender.
type SenderOptions struct {
	Address string // HOST:PORT of the receiver
	Token   string
	Name    string // name of the trace at the receiver
	// the maximum disk space of the spool (the copy on disk), in bytes; NewSender reduces it to half of the free
	// space
	Limit int64
}

// A Sender sends a trace to a receiver on another machine while the trace is written. Pass it to tracefile.NewWriter.
// Writing never waits for the receiver: the trace goes to a spool (files on disk), and from there to the receiver,
// which continues after each loss of the connection.
type Sender struct {
	*Spool
	options SenderOptions
	session string
	started bool
	cancel  context.CancelFunc
	done    chan struct{} // closed when no more attempts follow
	hurry   chan struct{} // triggers the next attempt at once

	mutex     sync.Mutex // guards what follows
	failure   error      // the error of the latest attempt; nil while one is in progress
	attempts  int        // number of failed attempts
	path      string
	delivered bool
}

// errNotYet is reported while the first attempt to send is still under way.
var errNotYet = errors.New("it did not answer yet")

// NewSender creates the spool (the copy of the trace on disk). Nothing is sent before Start.
func NewSender(o SenderOptions) (*Sender, error) {
	if err := CheckToken(o.Token); err != nil {
		return nil, err
	}
	folder, err := spoolsFolder()
	if err != nil {
		return nil, err
	}
	p, err := newPlace(folder, About{o.Name, o.Address, os.Getpid(), time.Now()})
	if err != nil {
		return nil, err
	}
	var disk unix.Statfs_t
	if unix.Statfs(folder, &disk) == nil {
		o.Limit = min(o.Limit, int64(disk.Bavail)*int64(disk.Bsize)/2)
	}
	var session [sessionDigits / 2]byte
	rand.Read(session[:])
	s := &Sender{options: o, session: hex.EncodeToString(session[:]), done: make(chan struct{}),
		hurry: make(chan struct{}, 1), failure: errNotYet}
	if s.Spool, err = newSpool(p, o.Limit, s.reason); err != nil {
		p.remove()
		return nil, err
	}
	return s, nil
}

// Start begins to send the spool's content (the trace on disk) to the receiver, in a goroutine.
func (s *Sender) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel, s.started = cancel, true
	go s.run(ctx)
}

// run connects and sends, again after each failure, until the receiver has the whole trace or ctx is done.
func (s *Sender) run(ctx context.Context) {
	defer close(s.done)
	pause := firstPause
	for {
		before, _, _ := s.progress()
		err := s.attempt(ctx)
		s.mutex.Lock()
		s.failure, s.delivered = err, err == nil
		if err != nil {
			s.attempts++
		}
		s.mutex.Unlock()
		if err == nil || ctx.Err() != nil {
			return
		}
		if after, _, _ := s.progress(); after > before {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
			return
		case <-s.hurry:
			pause = firstPause
		case <-time.After(pause):
			pause = min(2*pause, longestPause)
		}
	}
}

// progress returns how many bytes the receiver has confirmed, how many attempts failed, and the error of the latest
// attempt.
func (s *Sender) progress() (confirmed int64, attempts int, failure error) {
	_, confirmed, _ = s.state()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return confirmed, s.attempts, s.failure
}

// reason returns why the receiver does not have the spool's content yet. It becomes part of the error when the spool
// is full.
func (s *Sender) reason() error {
	s.mutex.Lock() // not the spool's mutex, which the caller holds
	failure := s.failure
	s.mutex.Unlock()
	if failure == nil {
		failure = errors.New("it accepts the trace more slowly than the trace is recorded")
	}
	return fmt.Errorf("the collector at %s: %w", s.options.Address, failure)
}

// A refusalError is an error of the receiver: it refused the trace, or sent an impossible answer.
type refusalError struct {
	error
	never bool // trying again is useless
}

// hopeless reports whether every further attempt would fail in the same way: the token is wrong, or the receiver
// refuses for good.
func hopeless(failure error) bool {
	var said *refusalError
	return errors.Is(failure, errToken) || errors.As(failure, &said) && said.never
}

// attempt makes one connection and sends the trace. It returns nil when the receiver has the whole trace.
func (s *Sender) attempt(ctx context.Context) error {
	raw, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", s.options.Address)
	if err != nil {
		return err
	}
	conn := tls.Client(raw, senderTLS())
	defer raw.Close()
	defer context.AfterFunc(ctx, func() { raw.Close() })()
	if err := authenticate(conn, s.options.Token, true, patience); err != nil {
		return err
	}
	first, _, _ := s.state()
	conn.SetWriteDeadline(time.Now().Add(sendPatience))
	if _, err := conn.Write(encode(request{requestSchema, s.options.Name, s.session, first})); err != nil {
		return err
	}
	in := bufio.NewReader(conn)
	a, err := s.hear(conn, in)
	if err != nil {
		return err
	}
	s.mutex.Lock()
	s.failure = nil
	s.mutex.Unlock()
	sending, stop := context.WithCancel(ctx)
	var failed error
	sent, have := make(chan struct{}), a.Have
	go func() {
		defer close(sent)
		failed = s.send(sending, conn, have)
	}()
	for !a.Whole && err == nil {
		a, err = s.hear(conn, in)
	}
	stop()
	if err != nil {
		raw.Close()
		<-sent
		var said *refusalError
		if failed != nil && !errors.As(err, &said) {
			err = failed // the error of sending came first
		}
		return err
	}
	<-sent
	s.mutex.Lock()
	s.path = a.Path
	s.mutex.Unlock()
	conn.SetWriteDeadline(time.Now().Add(patience))
	// This byte confirms the answer, so that the receiver forgets the session. If the byte is lost, the receiver only
	// keeps the session of a complete trace.
	conn.Write([]byte{'\n'})
	conn.CloseWrite()
	conn.SetReadDeadline(time.Now().Add(time.Second))
	io.Copy(io.Discard, in) // until the receiver has closed, too: unread answers would turn the end into a reset
	return nil
}

// hear reads one answer of the receiver and stores how much the receiver has.
func (s *Sender) hear(conn net.Conn, in *bufio.Reader) (a answer, err error) {
	conn.SetReadDeadline(time.Now().Add(silence))
	line, err := readLine(in)
	var network net.Error
	switch {
	case errors.As(err, &network) && network.Timeout():
		return a, fmt.Errorf("it has said nothing for %v", silence)
	case errors.Is(err, io.EOF):
		return a, errors.New("it ended the connection")
	case errors.Is(err, errLongLine):
		return a, &refusalError{err, true}
	case err != nil:
		return a, err
	}
	if a, err = decodeAnswer(line); err != nil {
		return a, &refusalError{err, true}
	}
	if a.Error != "" {
		return a, &refusalError{errors.New(a.Error), a.Never}
	}
	if err := s.confirm(a.Have); err != nil {
		return a, &refusalError{err, true}
	}
	if a.Whole && !s.endsAt(a.Have) {
		return a, &refusalError{fmt.Errorf("it answered that the trace ends after %d bytes, which is wrong", a.Have), true}
	}
	return a, nil
}

// send sends the trace, beginning at position `from`. It returns when the trace has ended and all of it is sent, or
// when ctx is done.
func (s *Sender) send(ctx context.Context, conn net.Conn, from int64) error {
	buffer := make([]byte, sendAtOnce)
	for {
		n, ended, err := s.read(buffer, from)
		if err != nil || n == 0 && ended {
			return err
		}
		if n == 0 {
			select {
			case <-s.more:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		conn.SetWriteDeadline(time.Now().Add(sendPatience))
		if _, err := conn.Write(buffer[:n]); err != nil {
			return err
		}
		from += int64(n)
	}
}
