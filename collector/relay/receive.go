package relay

import (
	"bufio"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"mtrace/collector/tracefile"
)

// serve handles one connection: it authenticates the sender and receives a trace. An error goes to the sender as an
// answer.
func (r *Receiver) serve(raw net.Conn) {
	defer raw.Close()
	log := r.log.With().Stringer("from", raw.RemoteAddr()).Logger()
	conn := tls.Server(raw, r.tls)
	err := authenticate(conn, r.token, false, strangerPatience)
	if !r.unproven.Remove(raw) {
		return // Serve closed it to make room for a newer connection, and counted it as refused
	}
	if err != nil {
		r.refused.Add(raw.RemoteAddr().String(), err)
		return
	}
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
		err = r.receive(conn, log)
	default:
		err = fmt.Errorf("%d traces are received already, which is the limit", maxConnections)
		log.Warn().Err(err).Msg("a connection was refused")
	}
	if err == nil {
		return
	}
	var refused *refusedError
	conn.SetWriteDeadline(time.Now().Add(patience))
	conn.Write(encode(answer{Error: err.Error(), Never: errors.As(err, &refused)}))
	conn.CloseWrite()
	// Read what the sender still sends: closing with unread data would reset the connection, and the sender would not
	// get the answer.
	conn.SetReadDeadline(time.Now().Add(patience))
	io.Copy(io.Discard, io.LimitReader(conn, 1<<20))
}

// A refusedError tells the sender that a further attempt would be refused for the same reason. The sender then stops
// trying.
type refusedError struct{ error }

// receive reads one request and writes the bytes of its trace to a file, until the trace is complete or the
// connection is lost. The caller sends a returned error to the sender; a lost connection is no error, because the
// sender may come back.
func (r *Receiver) receive(conn *tls.Conn, log zerolog.Logger) error {
	conn.SetReadDeadline(time.Now().Add(patience))
	src := bufio.NewReaderSize(conn, 1<<16)
	line, err := readLine(src)
	var q request
	if err == nil {
		q, err = decodeRequest(line)
	}
	if err != nil {
		log.Warn().Err(err).Msg("a connection was refused")
		return &refusedError{err}
	}
	in, err := r.sessions.take(q, conn.NetConn())
	if err != nil {
		log.Warn().Err(err).Msg("a trace cannot be received")
		return err
	}
	defer in.giveBack()
	log = log.With().Str("path", in.path()).Logger()
	err = r.feed(in, q, conn, src)
	switch {
	case err != nil:
		log.Warn().Err(err).Msg("a trace could not be received")
	case !in.there.Whole():
		log.Warn().Msg("the connection of a sender was lost: the trace is incomplete until the sender connects again")
	}
	return err
}

// feed writes the arriving bytes of a trace to its file, and answers the sender with the number of bytes that the
// file has.
func (r *Receiver) feed(in *incoming, q request, conn *tls.Conn, src io.Reader) error {
	file, err := in.open()
	if err != nil {
		return err
	}
	defer file.Close()
	if in.there.Size() < q.First {
		return fmt.Errorf("the sender no longer has the first %d bytes, and the file has only %d: the trace was changed",
			q.First, in.there.Size())
	}
	conn.SetReadDeadline(time.Time{}) // a program may be idle for long; keep-alive detects a lost machine
	var have atomic.Int64
	have.Store(in.there.Size())
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		answerOnAndOn(conn, &have, stop)
	}()
	in.there.Dst = countingWriter{file, &have}
	err = in.there.From(src)
	close(stop)
	<-stopped
	var network net.Error
	var format *tracefile.FormatError
	switch {
	case errors.As(err, &format):
		return &refusedError{err}
	case errors.As(err, &network), errors.Is(err, net.ErrClosed), err == nil && !in.there.Whole():
		return nil // the sender is gone, or has abandoned this connection
	case err != nil:
		return err
	}
	if err := stillThere(file, in.path()); err != nil {
		r.sessions.forget(in)
		return err
	}
	if in.tell() {
		r.received(in.path(), true)
	}
	r.sayWhole(in, conn)
	return nil
}

// sayWhole tells the sender that the receiver has the whole trace. When the sender has confirmed that, sayWhole
// forgets the session; until then the sender may connect again and ask.
func (r *Receiver) sayWhole(in *incoming, conn *tls.Conn) {
	conn.SetDeadline(time.Now().Add(patience))
	if _, err := conn.Write(encode(answer{Have: in.there.Size(), Whole: true, Path: in.path()})); err != nil {
		return
	}
	if n, _ := conn.Read(make([]byte, 1)); n == 1 { // the sender confirmed that it knows; a connection can also just end
		r.sessions.forget(in)
		// wait until the sender has closed its end: closing first would reset the connection while the sender still
		// reads
		io.Copy(io.Discard, io.LimitReader(conn, 1<<20))
	}
}

// stillThere returns an error if path no longer names file, because a user removed or replaced it. The bytes received
// since then would be lost.
func stillThere(file *os.File, path string) error {
	mine, err := file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(path)
	if err != nil || !os.SameFile(mine, named) {
		return fmt.Errorf("the trace %s was removed while it was received", path)
	}
	return nil
}

// A countingWriter writes to a file. After each successful write it adds the number of bytes to the counter `have`.
type countingWriter struct {
	file *os.File
	have *atomic.Int64
}

func (w countingWriter) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	if err == nil {
		w.have.Add(int64(n))
	}
	return n, err
}

// answerOnAndOn sends answers with the number of bytes received: one at first, one whenever there are more, and one
// every heartbeat, so that the sender knows that the receiver is alive. It ends when stop is closed.
func answerOnAndOn(conn net.Conn, have *atomic.Int64, stop <-chan struct{}) {
	said, when := int64(-1), time.Time{}
	ticker := time.NewTicker(answerPause)
	defer ticker.Stop()
	for {
		if now := have.Load(); now != said || time.Since(when) > heartbeat {
			conn.SetWriteDeadline(time.Now().Add(patience))
			if _, err := conn.Write(encode(answer{Have: now})); err != nil {
				conn.Close() // the sender does not read: it is gone
				return
			}
			said, when = now, time.Now()
		}
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
	}
}
