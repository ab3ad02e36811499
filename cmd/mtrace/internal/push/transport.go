package push

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// patient is Go's transport, except that data which a server sends before the request is held back until the request is
// sent. A server of another protocol (HTTP/2 without TLS, as in gRPC) sends such data. Go's transport then reports one
// of two different errors, one of which it also logs, depending on which of its goroutines is first.
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

// An asked is a connection that delivers no data before a request was written, or before it is closed.
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
