package page

import (
	"crypto/rand"
	"net/http"
)

// A FileServer serves one trace file to another tool's page, such as ui.perfetto.dev, in a browser on this machine.
// Like a Server it refuses requests from other machines and without the token. Only pages of the given origin may
// read the answer.
type FileServer struct {
	Server
	file, name string
	origin     string // of the tool's page, "https://ui.perfetto.dev"
}

// NewFileServer returns a server that serves a file as name on a port, to pages of an origin.
func NewFileServer(port int, file, name, origin string) *FileServer {
	return &FileServer{Server{port: port, token: rand.Text()}, file, name, origin}
}

// Path returns the path of the file, "/" + token + "/" + name; other paths are refused.
func (s *FileServer) Path() string { return s.Server.Path() + s.name }

// ServeHTTP answers a request.
func (s *FileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Cache-Control", "no-store")
	head.Set("Vary", "Origin")
	if r.Header.Get("Origin") == s.origin {
		head.Set("Access-Control-Allow-Origin", s.origin)
		// browsers require this header before a page from the internet may read from this machine
		head.Set("Access-Control-Allow-Private-Network", "true")
		head.Set("Access-Control-Allow-Methods", "GET, HEAD")
	}
	switch {
	case !s.local(r):
		http.Error(w, "mtrace view only answers requests from this machine, to the host 127.0.0.1 or localhost",
			http.StatusForbidden)
	case !s.knows(r.URL.Path):
		http.Error(w, "the address lacks the secret token: use the whole address that mtrace view printed",
			http.StatusForbidden)
	case r.URL.Path != s.Path():
		http.NotFound(w, r)
	case r.Method == http.MethodOptions:
		w.WriteHeader(http.StatusNoContent)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		head.Set("Allow", "GET, HEAD")
		http.Error(w, "this server only answers GET and HEAD requests", http.StatusMethodNotAllowed)
	default:
		head.Set("Content-Type", "application/octet-stream")
		http.ServeFile(w, r, s.file)
	}
}
