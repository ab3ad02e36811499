// Package relay sends traces to a collector on another machine, block by block while they are written. The part that
// has arrived is a readable trace, even if the connection or either end is lost.
package relay

import (
	"fmt"
	"net"
	"strings"
)

// ParseAddress splits a collector's address, unix:PATH or tcp://HOST:PORT, into the network and address that net.Dial
// takes.
func ParseAddress(text string) (network, address string, err error) {
	if path, ok := strings.CutPrefix(text, "unix:"); ok && path != "" {
		return "unix", path, nil
	}
	if address, ok := strings.CutPrefix(text, "tcp://"); ok {
		if _, port, err := net.SplitHostPort(address); err == nil && port != "" {
			return "tcp", address, nil
		}
	}
	return "", "", fmt.Errorf("the collector's address %q is neither unix:PATH nor tcp://HOST:PORT", text)
}
