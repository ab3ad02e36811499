package tools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// LongestMessage is the maximum length of a line (a JSON-RPC message) in bytes. Longer ones are answered with an
// error.
const LongestMessage = 16 << 20

// lineTransport exchanges JSON-RPC messages, one per line, like mcp.StdioTransport, but more robustly: an invalid
// line is answered with an error and reading continues; at the end of input, pending requests are still answered.
type lineTransport struct {
	in  io.Reader
	out io.Writer
}

// Connect implements mcp.Transport.
func (t *lineTransport) Connect(context.Context) (mcp.Connection, error) {
	c := &lineConnection{out: t.out, messages: make(chan jsonrpc.Message), closed: make(chan struct{}),
		answered: make(chan struct{}, 1), open: map[jsonrpc.ID]int{}}
	go c.receive(bufio.NewReaderSize(t.in, 1<<16))
	return c, nil
}

type lineConnection struct {
	messages chan jsonrpc.Message // closed at the end of input
	closed   chan struct{}
	once     sync.Once

	mutex    sync.Mutex // guards what follows
	out      io.Writer
	open     map[jsonrpc.ID]int // requests without an answer
	answered chan struct{}      // has a value after each answer
}

// SessionID implements mcp.Connection.
func (*lineConnection) SessionID() string { return "" }

// Close implements mcp.Connection.
func (c *lineConnection) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

// Read implements mcp.Connection.
func (c *lineConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case m, more := <-c.messages:
			if more {
				return m, nil
			}
			if !c.waiting() {
				return nil, io.EOF
			}
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select { // the input has ended: wait until pending requests are answered
		case <-c.answered:
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// waiting reports whether a request has not been answered yet.
func (c *lineConnection) waiting() bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return len(c.open) > 0
}

// Write implements mcp.Connection.
func (c *lineConnection) Write(_ context.Context, m jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	err = c.writeLine(line)
	if answer, is := m.(*jsonrpc.Response); is {
		c.close(answer.ID)
	}
	return err
}

func (c *lineConnection) writeLine(line []byte) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	_, err := c.out.Write(append(line, '\n'))
	return err
}

// close notes that a request was answered or cancelled.
func (c *lineConnection) close(id jsonrpc.ID) {
	c.mutex.Lock()
	if c.open[id]--; c.open[id] <= 0 {
		delete(c.open, id)
	}
	c.mutex.Unlock()
	select {
	case c.answered <- struct{}{}:
	default:
	}
}

// receive reads messages and passes them to Read, until the input ends or the connection is closed.
func (c *lineConnection) receive(in *bufio.Reader) {
	defer close(c.messages)
	for {
		line, err := readLine(in)
		if errors.Is(err, errLongLine) {
			c.refuse(nil, jsonrpc.CodeParseError, err.Error())
			continue
		}
		if len(line) > 0 {
			if m := c.decode(line); m != nil {
				select {
				case c.messages <- m:
				case <-c.closed:
					return
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// decode returns the message in a line. An invalid line is answered with an error, and decode returns nil, as for an
// empty line.
func (c *lineConnection) decode(line []byte) jsonrpc.Message {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	if !json.Valid(line) {
		c.refuse(nil, jsonrpc.CodeParseError, "the line is not valid JSON")
		return nil
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		var head struct {
			ID any `json:"id"`
		}
		json.Unmarshal(line, &head) // if the line is not an object, the answer has no id
		c.refuse(head.ID, jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message: "+err.Error())
		return nil
	}
	if request, is := m.(*jsonrpc.Request); is {
		c.note(request)
	}
	return m
}

// note adds a request to those that must still be answered. For a cancelling notification it removes the request that
// is cancelled.
func (c *lineConnection) note(r *jsonrpc.Request) {
	if r.IsCall() {
		c.mutex.Lock()
		c.open[r.ID]++
		c.mutex.Unlock()
		return
	}
	var cancelled struct {
		ID any `json:"requestId"`
	}
	if r.Method != "notifications/cancelled" || json.Unmarshal(r.Params, &cancelled) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(cancelled.ID); err == nil {
		c.close(id)
	}
}

// refuse answers an invalid line with a JSON-RPC error. id is the request's, or nil if it is unknown.
func (c *lineConnection) refuse(id any, code int, why string) {
	switch id.(type) {
	case string, float64:
	default:
		id = nil
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code,
		"message": why}})
	if err == nil {
		c.writeLine(line)
	}
}

// errLongLine is returned by readLine for a line longer than LongestMessage, after skipping it.
var errLongLine = fmt.Errorf("the line is longer than %d bytes", LongestMessage)

// readLine returns the next line. The last line may lack its newline; it is returned together with io.EOF.
func readLine(in *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		piece, err := in.ReadSlice('\n')
		if long = long || len(line)+len(piece) > LongestMessage; long {
			line = nil
		} else {
			line = append(line, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && err == nil:
			return nil, errLongLine
		}
		return line, err
	}
}
