package relay

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// The messages between the ends, after both have proved that they know the token. The sender begins with a request. The
// receiver answers with the number of bytes that it has of that trace. Then the sender sends the trace from there on,
// and the receiver repeatedly answers with its number of bytes. The position of a byte in the trace is its sequence
// number, so nothing is transferred twice or left out, however often the connection is lost. Requests and answers are
// lines of JSON.

const requestSchema = "mtrace.relay/2"

// longestLine is the maximum length of a request or an answer, in bytes.
const longestLine = 4096

// A request precedes the trace.
type request struct {
	Schema  string `json:"schema"`  // requestSchema
	Name    string `json:"name"`    // name for the file, without folder and extension
	Session string `json:"session"` // a random number of the trace, sessionDigits hexadecimal digits
	First   int64  `json:"first"`   // the first byte of the trace that the sender still has
}

// sessionDigits is the length of a session's number: 16 random bytes, so that nobody can guess another's.
const sessionDigits = 32

// An answer is sent at the beginning and whenever the receiver has more.
type answer struct {
	Have  int64  `json:"have"`            // bytes of the trace, from its beginning
	Whole bool   `json:"whole,omitempty"` // that is all of it
	Path  string `json:"path,omitempty"`  // on the receiver's machine
	Error string `json:"error,omitempty"` // the reason why the receiver refuses the trace; then the connection ends
	Never bool   `json:"never,omitempty"` // and trying again is useless
}

func decodeRequest(line []byte) (q request, err error) {
	if err := json.Unmarshal(line, &q); err != nil || q.Schema != requestSchema {
		return q, fmt.Errorf("the request %.100q is not one of %s; use the same version of mtrace on both ends", line,
			requestSchema)
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
		return a, fmt.Errorf("the answer %.100q is none of %s; use the same version of mtrace on both ends", line,
			requestSchema)
	}
	if a.Have < 0 {
		return a, fmt.Errorf("the collector claims to have %d bytes", a.Have)
	}
	return a, nil
}

// encode returns a request or an answer as a line.
func encode(message any) []byte {
	line, err := json.Marshal(message)
	if err != nil {
		panic(err) // only plain structs come here
	}
	return append(line, '\n')
}

// errLongLine is returned for a line that exceeds the limit.
var errLongLine = fmt.Errorf("a line is longer than %d bytes", longestLine)

// readLine reads a line, without its end.
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
