package page

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mtrace/analyze"
)

// A Detail loads a range of the run, given by times since its begin, and returns its document. It stops early when
// ctx is cancelled, because the user has moved on.
type Detail func(ctx context.Context, from, to analyze.Nanos) (*Document, error)

// A Server serves a page, and documents of ranges of its run, to a browser on the same machine. Until the page is
// ready, it serves a short page that reloads itself. A trace may contain secrets of the program, so the Server refuses
// requests from other machines. It refuses requests for another host name, which a page of another site can cause (DNS
// rebinding). And it refuses requests without the secret token in the path, because other users of the machine can
// reach the port.
type Server struct {
	port   int
	token  string
	ready  chan struct{} // closed when page and detail are set
	page   []byte
	detail Detail
	busy   chan struct{} // a semaphore: only one range is read at a time
}

// NewServer returns a server for a port, with a new token. It has no page until Show is called.
func NewServer(port int) *Server {
	return &Server{port: port, token: rand.Text(), ready: make(chan struct{}), busy: make(chan struct{}, 1)}
}

// Show sets the page to serve, once it is ready. It must be called exactly once.
func (s *Server) Show(page []byte, detail Detail) {
	s.page, s.detail = page, detail
	close(s.ready)
}

// reloadAfter is how long a request waits for the page to become ready. After that it is answered with waitingPage.
const reloadAfter = time.Second

// waitingPage is served until the page is ready; it reloads itself. Reloading keeps the fragment of the address,
// which has the selected view.
const waitingPage = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0">
<title>mtrace</title><body style="font:16px system-ui;margin:3em">The trace is being analysed. The page appears here
when that is done.</body></html>
`

// Path returns the path of the page, "/" + token + "/"; other paths are refused.
func (s *Server) Path() string { return "/" + s.token + "/" }

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cache-Control", "no-store")
	switch {
	case !s.local(r):
		http.Error(w, "mtrace view only answers requests from this machine, to the host 127.0.0.1 or localhost",
			http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		head.Set("Allow", "GET, HEAD")
		http.Error(w, "this server only answers GET and HEAD requests", http.StatusMethodNotAllowed)
	case !s.knows(r.URL.Path):
		http.Error(w, "the address lacks the secret token: use the whole address that mtrace view printed",
			http.StatusForbidden)
	case r.URL.Path == s.Path():
		s.whole(w, r)
	case r.URL.Path == s.Path()+"detail":
		s.part(w, r)
	default:
		http.NotFound(w, r)
	}
}

// whole answers with the page. If the page does not become ready in time, it answers with waitingPage.
func (s *Server) whole(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	select {
	case <-s.ready:
		_, _ = w.Write(s.page)
	case <-time.After(reloadAfter):
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write([]byte(waitingPage))
	case <-r.Context().Done():
	}
}

// local reports whether a request came from this machine and names this machine as its host. The host name is checked
// against DNS rebinding: a page of another site could otherwise read the trace.
func (s *Server) local(r *http.Request) bool {
	from, _, err := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(from); err != nil || ip == nil || !ip.IsLoopback() {
		return false
	}
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		if r.Host == fmt.Sprintf("%s:%d", name, s.port) || s.port == 80 && r.Host == name {
			return true
		}
	}
	return false
}

// knows reports whether a path begins with the token. The comparison takes constant time, because otherwise its
// duration would help to guess the token.
func (s *Server) knows(path string) bool {
	said, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return subtle.ConstantTimeCompare([]byte(said), []byte(s.token)) == 1
}

// part answers a request for a range of the run with the range's document as JSON.
func (s *Server) part(w http.ResponseWriter, r *http.Request) {
	from, err1 := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
	to, err2 := strconv.ParseInt(r.URL.Query().Get("to"), 10, 64)
	if err1 != nil || err2 != nil || from < 0 || to <= from {
		http.Error(w,
			"the parameters from and to must be whole numbers of nanoseconds after the begin of the trace, "+
				"and from must be less than to",
			http.StatusBadRequest)
		return
	}
	select {
	case <-s.ready:
	case <-r.Context().Done():
		return
	}
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-r.Context().Done():
		return
	}
	d, err := s.detail(r.Context(), analyze.Nanos(from), analyze.Nanos(to))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(d)
}
