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

// A Detail makes the document of a part of a run, from one time after its begin to another. It ends early when nobody
// wants it any more.
type Detail func(ctx context.Context, from, to analyze.Nanos) (*Document, error)

// A Server answers a browser on the same machine: with a page, and with documents of parts of its run. Until the page
// is made it answers with a short one that loads itself again. Requests from other machines are refused, and those for
// a host of another name, which a page of another site could make; so are requests without the token that all
// addresses begin with: other users of the machine can reach the port, and a trace shows what a program does.
type Server struct {
	port   int
	token  string
	ready  chan struct{} // closed when page and detail are there
	page   []byte
	detail Detail
	busy   chan struct{} // has room for one part that is read at a time
}

// NewServer serves on a port. It has no page yet.
func NewServer(port int) *Server {
	return &Server{port: port, token: rand.Text(), ready: make(chan struct{}), busy: make(chan struct{}, 1)}
}

// Show gives the server its page. It is called once.
func (s *Server) Show(page []byte, detail Detail) {
	s.page, s.detail = page, detail
	close(s.ready)
}

// reloadAfter is how long a request waits for the page before it is answered with the one that loads itself again.
const reloadAfter = time.Second

// waitingPage is what a browser shows until the page is made. The address and its fragment stay the same.
const waitingPage = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0">
<title>mtrace</title><body style="font:16px system-ui;margin:3em">The trace is being analysed. The page appears here
when that is done.</body></html>
`

// Path is that of the page: / and the token.
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
		http.Error(w, "mtrace view answers this machine only, as 127.0.0.1 or localhost", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		head.Set("Allow", "GET, HEAD")
		http.Error(w, "there is nothing to change here", http.StatusMethodNotAllowed)
	case !s.knows(r.URL.Path):
		http.Error(w, "the address that mtrace view printed has a token in it, and this is without", http.StatusForbidden)
	case r.URL.Path == s.Path():
		s.whole(w, r)
	case r.URL.Path == s.Path()+"detail":
		s.part(w, r)
	default:
		http.NotFound(w, r)
	}
}

// whole answers with the page, or, while that is being made, with the one that loads itself again.
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

// local says whether a request came from this machine and for this server.
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

// knows says whether a path begins with the token. How much of it is right takes no time to say.
func (s *Server) knows(path string) bool {
	said, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return subtle.ConstantTimeCompare([]byte(said), []byte(s.token)) == 1
}

// part answers with the document of a part of the run.
func (s *Server) part(w http.ResponseWriter, r *http.Request) {
	from, err1 := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
	to, err2 := strconv.ParseInt(r.URL.Query().Get("to"), 10, 64)
	if err1 != nil || err2 != nil || from < 0 || to <= from {
		http.Error(w, "from and to are nanoseconds after the begin of the trace", http.StatusBadRequest)
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
