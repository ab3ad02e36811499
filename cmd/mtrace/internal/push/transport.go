package push

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// patient is Go's own transport, but what a server says before it was asked waits until it is. A server of another
// protocol (HTTP/2 without TLS, as gRPC's) does that, and whether Go's transport then speaks of an answer that it
// cannot read, or of one that nobody asked for, which it also logs, is a matter of which of its goroutines is first.
var patient = patientTransport()

func patientTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &asked{Conn: conn, spoken: make(chan struct{})}, nil
	}
	return t
}

// asked is a connection that hears nothing before it has spoken, or is closed.
type asked struct {
	net.Conn
	once   sync.Once
	spoken chan struct{}
}

func (c *asked) speak() { c.once.Do(func() { close(c.spoken) }) }

func (c *asked) Read(b []byte) (int, error) {
	<-c.spoken
	return c.Conn.Read(b)
}

func (c *asked) Write(b []byte) (int, error) {
	c.speak()
	return c.Conn.Write(b)
}

func (c *asked) Close() error {
	c.speak()
	return c.Conn.Close()
}
