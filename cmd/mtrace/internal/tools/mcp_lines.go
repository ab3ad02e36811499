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

// LongestMessage bounds a line of the protocol.
const LongestMessage = 16 << 20

// lineTransport carries the protocol over lines, as mcp.StdioTransport does, with two differences: an invalid line is
// answered with an error, and reading continues; at the end of input all requests are answered before the connection
// ends.
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
		select { // only answers are left to come
		case <-c.answered:
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// waiting reports whether a request is still unanswered.
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

// close records that a request needs no answer any more.
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

// receive reads lines until the end of input, or until the connection is closed.
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

// decode returns the message in a line, or nil for a line that was refused or is empty.
func (c *lineConnection) decode(line []byte) jsonrpc.Message {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	if !json.Valid(line) {
		c.refuse(nil, jsonrpc.CodeParseError, "the line is no JSON")
		return nil
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		var head struct {
			ID any `json:"id"`
		}
		json.Unmarshal(line, &head) // only an object has an id; otherwise the answer has none
		c.refuse(head.ID, jsonrpc.CodeInvalidRequest, "the line is not a message of JSON-RPC 2.0: "+err.Error())
		return nil
	}
	if request, is := m.(*jsonrpc.Request); is {
		c.note(request)
	}
	return m
}

// note records a request that must be answered, unless the client cancels it.
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

// refuse answers an invalid line.
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

// errLongLine is returned for a line that exceeds the limit of a message. The rest of the line was skipped.
var errLongLine = fmt.Errorf("the line is longer than %d bytes", LongestMessage)

// readLine reads a line. The last one needs no newline, and comes with io.EOF.
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
