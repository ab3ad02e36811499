package push

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// A server that sends first, as an HTTP/2 server does, is reported with the same words whichever side was quicker. The
// story: on a busy machine the error was "readLoopPeekFailLocked: %!w(<nil>)", after a line of Go's own log.
func TestServerThatSpeaksFirst(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	settings := "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	said := make(chan bool, 8)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = io.WriteString(conn, settings)
				said <- true
				if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					_, _ = io.Copy(io.Discard, request.Body)
				}
			}()
		}
	}()
	address := &url.URL{Scheme: "http", Host: listener.Addr().String()}
	for _, protocol := range Protocols {
		if protocol.Name == "parca" {
			continue // that is HTTP/2, where both speak first
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
			<-said
			time.Sleep(100 * time.Millisecond) // so that the sent data is there to be read
		}})
		p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "wait", Unit: "nanoseconds"}}}
		err := (&Server{URL: address, Protocol: protocol}).Send(ctx, Profile{Kind: "wait", Profile: p})
		cancel()
		if err == nil || !strings.Contains(err.Error(), "malformed HTTP response") {
			t.Errorf("%s: %v", protocol.Name, err)
		}
	}
}
