package push

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// patient is Go's HTTP transport, changed so that it reads nothing from the server before the request was written. A
// gRPC server sends data first. Go's transport would then log a line, and report one of two different errors by
// chance.
var patient = patientTransport()

func patientTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	dial := t.DialContext
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &readAfterWrite{Conn: conn, spoken: make(chan struct{})}, nil
	}
	return t
}

// A readAfterWrite is a connection whose reads block until something was written to it, or until it is closed.
type readAfterWrite struct {
	net.Conn
	once   sync.Once
	spoken chan struct{}
}

func (c *readAfterWrite) speak() { c.once.Do(func() { close(c.spoken) }) }

func (c *readAfterWrite) Read(b []byte) (int, error) {
	<-c.spoken
	return c.Conn.Read(b)
}

func (c *readAfterWrite) Write(b []byte) (int, error) {
	c.speak()
	return c.Conn.Write(b)
}

func (c *readAfterWrite) Close() error {
	c.speak()
	return c.Conn.Close()
}
