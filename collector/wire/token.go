package wire

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
)

const (
	// TokenSize is the size of a Token in bytes.
	TokenSize = 16
	// TokenVariable is the environment variable by which the library in a traced program gets the token, as
	// hexadecimal digits.
	TokenVariable = "MTRACE_SOCKET_TOKEN"
)

// A Token is a secret with which a connection proves that it comes from a program that mtrace started for this
// collector: only the environment of such programs contains it. The zero Token means that no token is required.
type Token [TokenSize]byte

// NewToken returns a new random token.
func NewToken() (t Token) {
	rand.Read(t[:])
	return t
}

// IsZero reports whether t is the zero Token, which means that connections need no token.
func (t Token) IsZero() bool { return t == Token{} }

// String returns the token as hexadecimal digits, the value of TokenVariable.
func (t Token) String() string { return hex.EncodeToString(t[:]) }

// Frame returns the complete token frame (header and token), which must be the first bytes of a connection.
func (t Token) Frame() []byte {
	return append(AppendFrameHeader(nil, FrameHeader{Kind: FrameToken, Length: TokenSize}), t[:]...)
}

// TokenFrameSize is the size of a complete token frame, in bytes.
const TokenFrameSize = FrameHeaderSize + TokenSize

// IsIn reports whether b is exactly the token frame of t. The comparison takes the same time wherever b differs, so
// an attacker cannot find the token byte by byte.
func (t Token) IsIn(b []byte) bool { return subtle.ConstantTimeCompare(b, t.Frame()) == 1 }
