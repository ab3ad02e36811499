package wire

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
)

const (
	// TokenSize is the size of a Token in bytes.
	TokenSize = 16
	// TokenVariable is the environment variable that carries the token to the library, as hexadecimal digits.
	TokenVariable = "MTRACE_SOCKET_TOKEN"
)

// A Token proves that a connection comes from a program that this collector's mtrace started: only such programs have
// it in their environment. The zero Token means that no token is required.
type Token [TokenSize]byte

// NewToken draws a token at random.
func NewToken() (t Token) {
	rand.Read(t[:])
	return t
}

// IsZero reports whether t is the zero Token.
func (t Token) IsZero() bool { return t == Token{} }

// String returns the token in the form of TokenVariable, as hexadecimal digits.
func (t Token) String() string { return hex.EncodeToString(t[:]) }

// Frame returns the whole token frame, the first frame of a connection.
func (t Token) Frame() []byte {
	return append(AppendFrameHeader(nil, FrameHeader{Kind: FrameToken, Length: TokenSize}), t[:]...)
}

// TokenFrameSize is the size of a whole token frame in bytes.
const TokenFrameSize = FrameHeaderSize + TokenSize

// IsIn reports whether b is t's whole frame. The comparison takes constant time, so its duration does not reveal where
// b differs.
func (t Token) IsIn(b []byte) bool { return subtle.ConstantTimeCompare(b, t.Frame()) == 1 }
