package relay

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/big"
	"time"
)

// Sender and receiver share a token and know nothing else about each other. They connect by TLS with a certificate
// made on the spot, which proves nothing. Then each proves that it knows the token: it computes a key that only the
// two ends of this TLS connection have, and sends the key's HMAC with the token (the idea of RFC 9266, with the
// exporter of RFC 8446 7.5). A man in the middle has two TLS connections with different keys, so a proof from one is
// not valid on the other. The token itself is never sent.

// minToken is the minimum length of a token, in bytes. Somebody who records a proof could find a shorter token by
// trying all values.
const minToken = 16

// NewToken returns a new random token.
func NewToken() string {
	var b [18]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// CheckToken returns an error if a token is too short.
func CheckToken(token string) error {
	if len(token) < minToken {
		return fmt.Errorf("the token has %d characters; it must have %d or more, and be hard to guess", len(token),
			minToken)
	}
	return nil
}

const (
	// strangerPatience is how long a receiver waits for a sender to authenticate, which takes two round trips.
	strangerPatience = 2 * time.Second
	// patience is how long the sender or the receiver waits for an answer that the other must send immediately.
	patience = 10 * time.Second
)

const (
	senderLabel   = "mtrace relay 1: sender"
	receiverLabel = "mtrace relay 1: receiver"
)

// errToken is returned if the other end proved that it has another token, or that it did not accept ours.
var errToken = errors.New("the other end does not know the token; give both the same MTRACE_TOKEN")

// prove returns the proof that this end knows the token: an HMAC of a key that only the two ends of this TLS
// connection have. The sender and the receiver use different labels: otherwise an end that does not know the token
// could send the other's proof back.
func prove(conn *tls.Conn, token, label string) ([]byte, error) {
	state := conn.ConnectionState()
	key, err := state.ExportKeyingMaterial("EXPORTER-mtrace-relay", nil, 32)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, []byte(token))
	mac.Write([]byte(label))
	mac.Write(key)
	return mac.Sum(nil), nil
}

// refusal is sent in place of a proof, to an end whose own proof was wrong. Without it the connection would just end,
// and the user at that end would not learn that the token is wrong.
var refusal [sha256.Size]byte

// authenticate proves to the other end that this end knows the token, and verifies the proof of the other end. The
// sender sends its proof first, so the receiver never sends one to a stranger.
func authenticate(conn *tls.Conn, token string, sender bool, patience time.Duration) error {
	conn.SetDeadline(time.Now().Add(patience))
	defer conn.SetDeadline(time.Time{})
	if err := conn.Handshake(); err != nil {
		return err
	}
	mine, theirs := senderLabel, receiverLabel
	if !sender {
		mine, theirs = theirs, mine
	}
	say := func() error {
		proof, err := prove(conn, token, mine)
		if err == nil {
			_, err = conn.Write(proof)
		}
		return err
	}
	hear := func() error {
		want, err := prove(conn, token, theirs)
		if err != nil {
			return err
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(conn, got); err != nil {
			return fmt.Errorf("the other end did not prove that it knows the token: %w", err)
		}
		if !hmac.Equal(got, want) {
			return errToken
		}
		return nil
	}
	if sender {
		if err := say(); err != nil {
			return err
		}
		return hear()
	}
	err := hear()
	if errors.Is(err, errToken) {
		conn.Write(refusal[:])
	}
	if err != nil {
		return err
	}
	return say()
}

func senderTLS() *tls.Config {
	// authenticate proves more than a certificate would
	return &tls.Config{MinVersion: tls.VersionTLS13, InsecureSkipVerify: true}
}

func receiverTLS() (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(10, 0, 0)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{{Certificate: [][]byte{certificate},
		PrivateKey: key}}}, nil
}
