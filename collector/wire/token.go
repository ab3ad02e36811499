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

// A Token proves that a connection comes from a program that this collector's mtrace started: it is in the environment
// of such programs and nowhere else. The zero Token is none.
type Token [TokenSize]byte

// NewToken draws a token at random.
func NewToken() (t Token) {
	rand.Read(t[:])
	return t
}

// IsZero reports whether t is no token.
func (t Token) IsZero() bool { return t == Token{} }

// String returns the token as TokenVariable carries it.
func (t Token) String() string { return hex.EncodeToString(t[:]) }

// Frame returns the whole token frame, with which a connection begins.
func (t Token) Frame() []byte {
	return append(AppendFrameHeader(nil, FrameHeader{Kind: FrameToken, Length: TokenSize}), t[:]...)
}

// TokenFrameSize is the size of a whole token frame in bytes.
const TokenFrameSize = FrameHeaderSize + TokenSize

// IsIn reports whether b is t's whole frame. The time that it takes says nothing about where they differ.
func (t Token) IsIn(b []byte) bool { return subtle.ConstantTimeCompare(b, t.Frame()) == 1 }
