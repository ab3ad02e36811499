package collector

import (
	"errors"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// The collector trusts a connection of this user if it sends the collector's token (a shared secret) first, or if the
// collector has no token. It trusts a process of another user only if the collector's socket is open to other users
// and the process sends the token. Until then it reads nothing but the token's bytes, and writes nothing to the
// trace.

const (
	// unprovenPlaces is how many connections of other users may wait at a time for their token to arrive. More would
	// let another user exhaust the collector's file descriptors.
	unprovenPlaces = 64
	// unprovenPatience is how long a connection of another user may take to send the token. The tracer's library
	// sends it immediately.
	unprovenPatience = 2 * time.Second
)

var (
	errNoToken  = errors.New("the connection did not begin with the token of this recording")
	errUnproven = errors.New("the connection sent no token, and was closed because too many connections waited")
)

// A tokenState says whether a connection has sent the right token.
type tokenState int

const (
	tokenAwaited tokenState = iota // the token has not arrived completely
	tokenRight                     // the right token arrived, or none is required
	tokenWrong
)

// readToken reads the token from a socket if all of its bytes have arrived, and does not wait for them.
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

// prove waits until a connection has sent the right token, if a token is required. The error says why the connection
// is not trusted. io.EOF means that the connection ended without data: another process only checked whether a
// collector listens, which is no attack.
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
