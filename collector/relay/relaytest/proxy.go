// Package relaytest has the network between two ends of a relay, for tests: one that can be cut, hang and be slow.
package relaytest

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A Proxy passes connections on to a target, while the network is there.
type Proxy struct {
	listener net.Listener
	target   string
	hanging  atomic.Bool  // nothing is passed on, nothing is closed
	down     atomic.Bool  // connections are refused
	Pause    atomic.Int64 // nanoseconds for each piece of 4 KiB

	mutex sync.Mutex
	open  []*net.TCPConn
	Count atomic.Int64 // connections that were passed on so far
}

// NewProxy starts a proxy to a target HOST:PORT.
func NewProxy(tb testing.TB, target string) *Proxy {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{listener: l, target: target}
	go p.serve()
	tb.Cleanup(func() { l.Close(); p.Reset() })
	return p
}

// Address is where it listens, HOST:PORT.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

func (p *Proxy) serve() {
	for {
		in, err := p.listener.Accept()
		if err != nil {
			return
		}
		if p.down.Load() {
			in.(*net.TCPConn).SetLinger(0)
			in.Close()
			continue
		}
		out, err := net.DialTimeout("tcp", p.target, time.Second)
		if err != nil {
			in.Close()
			continue
		}
		a, b := in.(*net.TCPConn), out.(*net.TCPConn)
		p.mutex.Lock()
		p.open = append(p.open, a, b)
		p.mutex.Unlock()
		p.Count.Add(1)
		go p.pass(a, b)
		go p.pass(b, a)
	}
}

func (p *Proxy) pass(from, to *net.TCPConn) {
	buffer := make([]byte, 4<<10)
	for {
		n, err := from.Read(buffer)
		for p.hanging.Load() {
			time.Sleep(time.Millisecond)
		}
		if n > 0 {
			if pause := p.Pause.Load(); pause > 0 {
				time.Sleep(time.Duration(pause))
			}
			if _, failed := to.Write(buffer[:n]); failed != nil {
				from.Close()
				return
			}
		}
		if err == io.EOF {
			to.CloseWrite()
			return
		}
		if err != nil {
			to.Close()
			return
		}
	}
}

// Hang makes the network pass nothing on, without a sign, or continue.
func (p *Proxy) Hang(on bool) { p.hanging.Store(on) }

// Down makes the network refuse connections, or take them again.
func (p *Proxy) Down(on bool) { p.down.Store(on) }

// Reset breaks all connections, as a machine does that has forgotten them.
func (p *Proxy) Reset() {
	for _, c := range p.take() {
		c.SetLinger(0)
		c.Close()
	}
}

// HalfClose ends all connections in both directions as if each end had ended its own, so that ends see no error but an
// end.
func (p *Proxy) HalfClose() {
	for _, c := range p.take() {
		c.CloseWrite()
	}
}

func (p *Proxy) take() []*net.TCPConn {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	open := p.open
	p.open = nil
	return open
}
