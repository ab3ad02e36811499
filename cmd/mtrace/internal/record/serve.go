package record

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/metrics"
	"mtrace/collector/tracefile"
)

func ServeCommand() cli.Command {
	return cli.Command{
		Name:    "serve",
		Summary: "Serve Prometheus metrics about traces in a folder while they are recorded",
		Usage:   "[flags] FOLDER",
		Example: "mtrace serve --listen 127.0.0.1:9464 traces   # beside mtrace collect -o traces, " +
			"or runs that write there; GET /metrics",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			s := metricsServer{followed: map[string]*followedTrace{}}
			flags.StringVar(&s.listen, "listen", "127.0.0.1:9464",
				"serve on this `ADDRESS`, HOST:PORT, to everyone who can reach it; port 0 selects a free one")
			flags.StringSliceVar(&s.hosts, "host", nil,
				"also accept requests for these host `NAMES`; "+
					"other names are rejected, so that web pages cannot read the metrics through the browser")
			return func(std cli.Stdio, args []string) error { return s.run(std, args) }
		},
	}
}

// A metricsServer reads the traces that are being written in a folder, and serves their counts to Prometheus.
type metricsServer struct {
	listen string
	hosts  []string // further names of this server
	folder string

	mutex    sync.Mutex // guards what follows
	followed map[string]*followedTrace
}

// A followedTrace is a trace whose new data is read as it is written.
type followedTrace struct {
	*metrics.Recording
	file     *os.File
	follower *tracefile.Follower
	over     time.Time // the instant since when no more data is expected; zero while data is expected
}

const (
	// metricsPause is the interval at which new data is read.
	metricsPause = time.Second
	// metricsAfter is how long an ended trace is still reported: longer than the interval between scrapes.
	metricsAfter = 5 * time.Minute
)

func (s *metricsServer) run(std cli.Stdio, args []string) error {
	if len(args) != 1 {
		return cli.UsageError("give one folder, not %d: mtrace serve FOLDER", len(args))
	}
	s.folder = args[0]
	if info, err := os.Stat(s.folder); err != nil || !info.IsDir() {
		return cli.UsageError("%s is not a folder", s.folder)
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return cli.UsageError("cannot listen on %s: %w", s.listen, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	pages := http.NewServeMux()
	pages.HandleFunc("GET /metrics", s.metrics)
	server := &http.Server{Handler: s.forThisHost(pages), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		server.Close()
	}()
	go s.follow(ctx)
	fmt.Fprintf(std.Out, "http://%s/metrics\n", listener.Addr())
	fmt.Fprintln(std.Err, "mtrace serve: serving until Ctrl-C")
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// forThisHost rejects requests for unknown host names. Otherwise a web page whose host name resolves to 127.0.0.1
// could read the metrics in the user's browser (DNS rebinding). Addresses, localhost and this machine's name are
// safe.
func (s *metricsServer) forThisHost(pages http.Handler) http.Handler {
	host, _, _ := net.SplitHostPort(s.listen)
	machine, _ := os.Hostname()
	known := append([]string{"localhost", host, machine}, s.hosts...)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Host
		if name, _, err := net.SplitHostPort(asked); err == nil {
			asked = name
		}
		named := func(name string) bool { return name != "" && strings.EqualFold(name, asked) }
		if net.ParseIP(strings.Trim(asked, "[]")) == nil && !slices.ContainsFunc(known, named) {
			http.Error(w, "this host name is not allowed: "+
				"use an IP address, localhost or the machine's name, or start mtrace serve with --host NAME",
				http.StatusForbidden)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// metrics answers a request with the current counts.
func (s *metricsServer) metrics(w http.ResponseWriter, _ *http.Request) {
	s.look()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var all []*metrics.Recording
	for _, f := range s.followed {
		all = append(all, f.Recording)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	metrics.Write(w, all)
}

// follow reads new data every second, so that a request has little left to read.
func (s *metricsServer) follow(ctx context.Context) {
	tick := time.NewTicker(metricsPause)
	defer tick.Stop()
	for {
		s.look()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look finds new traces in the folder, reads what was added to the known ones, and drops those that ended long ago.
func (s *metricsServer) look() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	entries, _ := os.ReadDir(s.folder)
	for _, e := range entries {
		name, being := strings.CutSuffix(e.Name(), cli.PartSuffix)
		if !being || s.followed[name] != nil && s.followed[name].over.IsZero() {
			continue
		}
		if !e.Type().IsRegular() { // opening a pipe would wait for its writer
			continue
		}
		if file, err := os.Open(filepath.Join(s.folder, e.Name())); err == nil {
			f := &followedTrace{Recording: metrics.NewRecording(name), file: file}
			f.follower = tracefile.Follow(file, f)
			s.followed[name] = f
		}
	}
	for name, f := range s.followed {
		switch {
		case f.over.IsZero():
			f.next(filepath.Join(s.folder, name))
		case time.Since(f.over) > metricsAfter:
			delete(s.followed, name)
		}
	}
}

// next reads what was added to the trace, and marks it as ended if it is complete or was removed.
func (f *followedTrace) next(path string) {
	info, err := f.file.Stat()
	if err == nil {
		f.Bytes = info.Size()
		_, err = f.follower.Next(info.Size())
	}
	if err == nil && !f.Ended {
		if _, left := os.Stat(path + cli.PartSuffix); !errors.Is(left, fs.ErrNotExist) {
			return
		}
		if _, left := os.Stat(path); left == nil { // it was renamed; data written before is still unread
			return
		}
	}
	f.Ended, f.over = true, time.Now()
	f.file.Close()
}
