package unproven

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// The oldest connection is closed in favour of a new one; a connection that has proved itself is never closed.
func TestOldestIsClosed(t *testing.T) {
	ends := make([]net.Conn, 4)
	for i := range ends {
		ends[i], _ = net.Pipe()
		defer ends[i].Close()
	}
	c := New(2)
	if c.Add(ends[0]) != nil || c.Add(ends[1]) != nil || !c.Remove(ends[0]) || c.Add(ends[2]) != nil {
		t.Fatal("a connection was closed though there was room")
	}
	if closed := c.Add(ends[3]); closed != ends[1] {
		t.Errorf("%v was closed, not the oldest", closed)
	}
	if c.Remove(ends[1]) || !c.Remove(ends[2]) || !c.Remove(ends[3]) {
		t.Error("a closed connection still had a place, or another had none")
	}
	if _, err := ends[1].Write([]byte{0}); err == nil {
		t.Error("the oldest connection is still open")
	}
}

// However many connections are refused, there is at most a line every ten seconds, and all are counted.
func TestRefusalsAreFewLines(t *testing.T) {
	var log strings.Builder
	r := NewRefusals(zerolog.New(&log))
	now := time.Unix(1000, 0)
	r.now = func() time.Time { return now }
	for range 1000 {
		r.Add("user 65534", errors.New("no token"))
		now = now.Add(20 * time.Millisecond)
	}
	total := r.Finish()
	if lines := strings.Count(log.String(), "\n"); total != 1000 || lines != 3 {
		t.Errorf("%d refused, %d lines:\n%s", total, lines, &log)
	}
	if !strings.Contains(log.String(), `"connections":500`) || !strings.Contains(log.String(), `"connections":499`) {
		t.Errorf("the lines do not add up:\n%s", &log)
	}
}
