package collector

import (
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// Trust: a connection is trusted if its peer runs as this user and, if the collector has a token, begins with that
// token. A peer of another user is trusted by its token alone, and only if the endpoint is shared with other users.
// Before a connection is trusted, only the token's bytes are read from it, and nothing from it gets into the trace.

const (
	// unprovenPlaces is the maximum number of connections of other users that may wait for their token to arrive.
	unprovenPlaces = 64
	// unprovenPatience is how long a connection of another user may take to send the token; a library sends it at once.
	unprovenPatience = 2 * time.Second
)

var (
	errNoToken  = errors.New("it did not begin with the token of this recording")
	errUnproven = errors.New("it sent no token, and its place was needed for another connection")
)

// A tokenState is the state of a connection's token.
type tokenState int

const (
	tokenAwaited tokenState = iota // it has not arrived completely
	tokenRight                     // or no token is required
	tokenWrong
)

// readToken reads the token from a socket if it has arrived completely. It does not wait.
func readToken(fd int, token wire.Token) tokenState {
	if token.IsZero() {
		return tokenRight
	}
	var b [wire.TokenFrameSize]byte
	n, _, err := unix.Recvfrom(fd, b[:], unix.MSG_DONTWAIT|unix.MSG_PEEK)
	switch {
	case err != nil || n < len(b):
		return tokenAwaited
	case !token.IsIn(b[:]):
		return tokenWrong
	}
	unix.Recvfrom(fd, b[:], unix.MSG_DONTWAIT)
	return tokenRight
}

// prove waits until an accepted connection has proved that it is trusted, or failed to. It returns io.EOF for a
// connection that ended without data: another process checked for a collector.
func (c *Collector) prove(a *arrival, r *descriptorReader) error {
	if !a.own() && !c.endpoint.shared {
		return errOtherUser(a.uid)
	}
	if a.state == tokenAwaited {
		patience := helloPatience
		if !a.own() {
			c.unproven.Add(a.conn)
			patience = unprovenPatience
		}
		r.readUntil(time.Now().Add(patience))
		var b [wire.TokenFrameSize]byte
		_, err := io.ReadFull(r, b[:])
		if !a.own() && !c.unproven.Remove(a.conn) {
			return errUnproven
		}
		switch {
		case err != nil && isEnd(err):
			return io.EOF
		case err != nil || !c.listener.token.IsIn(b[:]):
			return errNoToken
		}
		a.state = tokenRight
	}
	if a.state == tokenWrong {
		return errNoToken
	}
	return nil
}
