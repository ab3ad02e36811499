package relay

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"mtrace/collector/unproven"
)

const (
	// maxConnections limits how many traces are received at once. unprovenPlaces limits how many connections may wait
	// whose sender has not yet proved that it knows the token.
	maxConnections = 256
	unprovenPlaces = 64
	// longestName is the maximum length of a trace's name, in bytes; longer ones are cut.
	longestName = 100
	// heartbeat is the longest time between two answers of a receiver, and answerPause the shortest. A sender that
	// gets no answer for several heartbeats connects again.
	heartbeat   = 3 * time.Second
	answerPause = 20 * time.Millisecond
)

// errTooManyUnproven is logged when the oldest unauthenticated connection is closed to make room for a new one.
var errTooManyUnproven = fmt.Errorf(
	"more than %d connections had not proved that they know the token: the oldest was closed", unprovenPlaces)

// A Receiver receives traces from senders on other machines and writes each to its own file in a folder.
type Receiver struct {
	listener net.Listener
	tls      *tls.Config
	token    string
	dir      string
	log      zerolog.Logger
	received func(path string, whole bool)
	sessions *sessions

	unproven *unproven.Connections
	refused  *unproven.Refusals
	places   chan struct{} // a semaphore: one element for each authenticated connection
	mutex    sync.Mutex    // guards what follows
	open     map[net.Conn]struct{}
	closed   bool
	work     sync.WaitGroup
}

// ReceiverOptions configure a Receiver.
type ReceiverOptions struct {
	Address string // HOST:PORT; port 0 for any
	Token   string
	Dir     string         // folder for the traces; created if it does not exist
	Log     zerolog.Logger // one line for each irregular connection
	// if set, called once for each trace: when the trace is complete, or when the receiver ends before that
	Received func(path string, whole bool)
}

// NewReceiver listens on the address and reads which traces in the folder are incomplete. Connections wait until
// Serve is called.
func NewReceiver(o ReceiverOptions) (*Receiver, error) {
	if err := CheckToken(o.Token); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("create the folder for traces: %w", err)
	}
	sessions, err := openSessions(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("search for incomplete traces: %w", err)
	}
	config, err := receiverTLS()
	if err != nil {
		return nil, fmt.Errorf("make a certificate: %w", err)
	}
	l, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, fmt.Errorf("listen for traces: %w", err)
	}
	r := &Receiver{listener: l, tls: config, token: o.Token, dir: o.Dir, log: o.Log, received: o.Received,
		sessions: sessions,
		unproven: unproven.New(unprovenPlaces), refused: unproven.NewRefusals(o.Log),
		places: make(chan struct{}, maxConnections), open: map[net.Conn]struct{}{}}
	if r.received == nil {
		r.received = func(string, bool) {}
	}
	return r, nil
}

// Address returns the address on which the receiver listens, HOST:PORT, with the port that the system chose.
func (r *Receiver) Address() string { return r.listener.Addr().String() }

// Serve receives traces until ctx is done or Close is called. A trace that is incomplete by then stays cut. A
// later receiver on the same folder adds the rest if the trace's sender connects to it.
func (r *Receiver) Serve(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() { r.Close() })()
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			r.mutex.Lock()
			closed := r.closed
			r.mutex.Unlock()
			if closed {
				return nil
			}
			r.log.Warn().Err(err).Msg("a connection could not be accepted")
			time.Sleep(10 * time.Millisecond)
			continue
		}
		r.mutex.Lock()
		if r.closed {
			r.mutex.Unlock()
			conn.Close()
			return nil
		}
		r.open[conn] = struct{}{}
		r.work.Add(1)
		r.mutex.Unlock()
		if closed := r.unproven.Add(conn); closed != nil {
			r.refused.Add(closed.(net.Conn).RemoteAddr().String(), errTooManyUnproven)
		}
		go func() {
			defer r.work.Done()
			r.serve(conn)
			r.mutex.Lock()
			delete(r.open, conn)
			r.mutex.Unlock()
		}()
	}
}

// Close stops receiving and returns when every file is closed. It reports incomplete traces to Received.
func (r *Receiver) Close() error {
	r.mutex.Lock()
	r.closed = true
	for conn := range r.open {
		conn.Close()
	}
	r.mutex.Unlock()
	err := r.listener.Close()
	r.work.Wait()
	r.refused.Finish()
	for _, path := range r.sessions.unfinished() {
		r.received(path, false)
	}
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return err
}

// cleanName turns the name that a sender gave its trace into a safe file name: without slashes, leading dots or
// special characters, because a hostile sender must not write outside the folder.
func cleanName(name string) string {
	name = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' {
			return c
		}
		return '-'
	}, name)
	name = strings.TrimLeft(name, ".-")
	if len(name) > longestName {
		name = name[:longestName]
	}
	if name == "" {
		name = "trace"
	}
	return name
}

// createNew creates a file NAME.mtrace in dir or, if that exists, NAME-2.mtrace and so on. It never overwrites a
// file.
func createNew(dir, name string) (*os.File, error) {
	for i := 1; i <= 10000; i++ {
		path := filepath.Join(dir, name+".mtrace")
		if i > 1 {
			path = filepath.Join(dir, fmt.Sprintf("%s-%d.mtrace", name, i))
		}
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("make the trace: %w", err)
		}
	}
	return nil, fmt.Errorf("create the trace: too many traces have the name %s; remove some", name)
}
