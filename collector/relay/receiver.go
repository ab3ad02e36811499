package relay

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"mtrace/collector/tracefile"
)

const (
	// maxConnections is how many traces are received at once.
	maxConnections = 256
	// longestRequest bounds the line before a trace, in bytes; longestName the name in it.
	longestRequest = 4096
	longestName    = 100
)

// A Receiver takes traces from senders and writes each to a file of its own.
type Receiver struct {
	listener net.Listener
	tls      *tls.Config
	token    string
	dir      string
	log      zerolog.Logger
	received func(path string, whole bool)

	places chan struct{} // one for each connection
	mutex  sync.Mutex    // guards what follows
	open   map[net.Conn]struct{}
	closed bool
	work   sync.WaitGroup
}

// ReceiverOptions say how a Receiver works.
type ReceiverOptions struct {
	Address  string // HOST:PORT; port 0 for any
	Token    string
	Dir      string                        // for the traces: made when it is not there
	Log      zerolog.Logger                // one line for each connection that is not as it should be
	Received func(path string, whole bool) // called for each trace, when there is one to call
}

// NewReceiver listens. Connections wait for Serve.
func NewReceiver(o ReceiverOptions) (*Receiver, error) {
	if err := CheckToken(o.Token); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder for traces: %w", err)
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
		places: make(chan struct{}, maxConnections), open: map[net.Conn]struct{}{}}
	if r.received == nil {
		r.received = func(string, bool) {}
	}
	return r, nil
}

// Address is where it listens, HOST:PORT.
func (r *Receiver) Address() string { return r.listener.Addr().String() }

// Serve receives until ctx is done or Close is called. The traces that were being received then are left as they are: cut.
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
		select {
		case r.places <- struct{}{}:
		default:
			r.log.Warn().Stringer("from", conn.RemoteAddr()).Int("limit", maxConnections).Msg("too many connections: one was refused")
			conn.Close()
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
		go func() {
			defer r.work.Done()
			r.serve(conn)
			r.mutex.Lock()
			delete(r.open, conn)
			r.mutex.Unlock()
			<-r.places
		}()
	}
}

// Close stops receiving and waits until every file is closed.
func (r *Receiver) Close() error {
	r.mutex.Lock()
	r.closed = true
	for conn := range r.open {
		conn.Close()
	}
	r.mutex.Unlock()
	err := r.listener.Close()
	r.work.Wait()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return err
}

func (r *Receiver) serve(raw net.Conn) {
	defer raw.Close()
	log := r.log.With().Stringer("from", raw.RemoteAddr()).Logger()
	conn := tls.Server(raw, r.tls)
	if err := authenticate(conn, r.token, false); err != nil {
		log.Warn().Err(err).Msg("a connection was refused")
		return
	}
	a := answer{}
	path, whole, err := r.receive(conn, &a)
	a.Path = path
	if err != nil {
		a.Error = err.Error()
		log.Warn().Err(err).Str("path", path).Msg("a trace was not received as it should be")
	} else if !whole {
		log.Warn().Str("path", path).Msg("a trace was cut: its sender is gone")
	}
	if path != "" {
		r.received(path, whole)
	}
	if line, err := json.Marshal(a); err == nil {
		conn.SetWriteDeadline(time.Now().Add(patience))
		conn.Write(append(line, '\n'))
		conn.CloseWrite()
	}
	if a.Error != "" { // the sender reads the answer only when writing fails, and a reset would take the answer away
		conn.SetReadDeadline(time.Now().Add(patience))
		io.Copy(io.Discard, io.LimitReader(conn, 1<<20))
	}
}

// receive reads one request and its trace.
func (r *Receiver) receive(conn *tls.Conn, a *answer) (path string, whole bool, err error) {
	conn.SetReadDeadline(time.Now().Add(patience))
	in := bufio.NewReaderSize(conn, 1<<16)
	line, err := readLine(in)
	if err != nil {
		return "", false, err
	}
	var q request
	if err := json.Unmarshal(line, &q); err != nil || q.Schema != requestSchema {
		return "", false, fmt.Errorf("the request %q is not one of %s; use the same version of mtrace on both ends", line, requestSchema)
	}
	conn.SetReadDeadline(time.Time{}) // a program may be quiet for long; keep-alive finds a machine that is gone
	file, err := createNew(r.dir, cleanName(q.Name))
	if err != nil {
		return "", false, err
	}
	a.Bytes, whole, err = tracefile.Copy(file, in, "the trace")
	if e := file.Close(); err == nil {
		err = e
	}
	return file.Name(), whole, err
}

func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for len(line) < longestRequest {
		b, err := in.ReadByte()
		if err != nil {
			return nil, fmt.Errorf("read the request: %w", err)
		}
		if b == '\n' {
			return line, nil
		}
		line = append(line, b)
	}
	return nil, fmt.Errorf("the request is longer than %d bytes", longestRequest)
}

// cleanName makes what a sender calls its trace a name of a file in this folder, and of no other.
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

// createNew makes a file that was not there.
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
	return nil, fmt.Errorf("make the trace: too many are called %s", name)
}
