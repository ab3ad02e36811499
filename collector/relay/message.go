package relay

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Sender and receiver exchange messages after both have proved that they know the token. The sender sends a request.
// The receiver answers with the number of bytes that it already has of that trace. Then the sender sends the trace
// from that position on, and the receiver repeatedly answers with its new number of bytes. Because positions are
// counted from the beginning of the trace, no byte is sent twice or left out, however often the connection is lost.
// Requests and answers are lines of JSON.

const requestSchema = "mtrace.relay/2"

// longestLine is the maximum length of a request or an answer, in bytes; a longer one could exhaust memory.
const longestLine = 4096

// A request is what a sender sends before the bytes of a trace.
type request struct {
	Schema  string `json:"schema"`  // requestSchema
	Name    string `json:"name"`    // name for the file, without folder and extension
	Session string `json:"session"` // a random number of the trace, sessionDigits hexadecimal digits
	First   int64  `json:"first"`   // the first byte of the trace that the sender still has
}

// sessionDigits is the length of a session's random number in hexadecimal digits: 16 bytes, so that nobody can guess
// the number of another sender's trace and continue it.
const sessionDigits = 32

// An answer reports how much of a trace the receiver has. The receiver sends one at the beginning, one whenever it
// has more, and one every few seconds.
type answer struct {
	Have  int64  `json:"have"`            // bytes of the trace, from its beginning
	Whole bool   `json:"whole,omitempty"` // the receiver has the whole trace
	Path  string `json:"path,omitempty"`  // on the receiver's machine
	Error string `json:"error,omitempty"` // the reason why the receiver refuses the trace; then the connection ends
	Never bool   `json:"never,omitempty"` // with Error: the receiver would refuse the trace again
}

func decodeRequest(line []byte) (q request, err error) {
	if err := json.Unmarshal(line, &q); err != nil || q.Schema != requestSchema {
		return q, fmt.Errorf("the request %.100q does not follow the protocol %s; "+
			"use the same version of mtrace on both ends", line, requestSchema)
	}
	if !isSession(q.Session) || q.First < 0 {
		return q, fmt.Errorf("the request %.100q has no session or no position to continue from", line)
	}
	return q, nil
}

func isSession(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == sessionDigits && s == strings.ToLower(s)
}

func decodeAnswer(line []byte) (a answer, err error) {
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("the answer %.100q does not follow the protocol %s; "+
			"use the same version of mtrace on both ends", line, requestSchema)
	}
	if a.Have < 0 {
		return a, fmt.Errorf("the collector claims to have %d bytes, which is impossible", a.Have)
	}
	return a, nil
}

// encode returns a request or an answer as one line of JSON.
func encode(message any) []byte {
	line, err := json.Marshal(message)
	if err != nil {
		panic(err) // only plain structs come here
	}
	return append(line, '\n')
}

// errLongLine is returned for a line that is longer than longestLine.
var errLongLine = fmt.Errorf("a line is longer than %d bytes", longestLine)

// readLine reads a line and returns it without the line feed.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for len(line) <= longestLine {
		b, err := in.ReadByte()
		if err != nil {
			return nil, err
		}
		if b == '\n' {
			return line, nil
		}
		line = append(line, b)
	}
	return nil, errLongLine
}
