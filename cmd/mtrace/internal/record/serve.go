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
		Summary: "Serve Prometheus metrics of the traces that are being recorded in a folder",
		Usage:   "[flags] FOLDER",
		Example: "mtrace serve --listen 127.0.0.1:9464 traces   # beside mtrace collect -o traces, or runs that write " +
			"there; GET /metrics",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			s := metricsServer{followed: map[string]*followedTrace{}}
			flags.StringVar(&s.listen, "listen", "127.0.0.1:9464",
				"serve on this `ADDRESS`, HOST:PORT; everyone who can reach it can read the metrics; port 0 selects a free one")
			flags.StringSliceVar(&s.hosts, "host", nil,
				"also answer requests for these host `NAMES`; others are refused, so that no web page reaches the port under its own name")
			return func(std cli.Stdio, args []string) error { return s.run(std, args) }
		},
	}
}

// A metricsServer follows the traces that are being written in a folder.
type metricsServer struct {
	listen string
	hosts  []string // further names of this server
	folder string

	mutex    sync.Mutex // guards what follows
	followed map[string]*followedTrace
}

// A followedTrace is one of them.
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
		return cli.UsageError("takes one folder, but got %d: mtrace serve FOLDER", len(args))
	}
	s.folder = args[0]
	if info, err := os.Stat(s.folder); err != nil || !info.IsDir() {
		return cli.UsageError("%s is no folder", s.folder)
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return cli.UsageError("--listen %s cannot be had: %w", s.listen, err)
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

// forThisHost refuses requests for another host name. A web page can make a name of its own resolve to 127.0.0.1 and
// read what is served there; it cannot do that with addresses, localhost and the machine's name.
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
			http.Error(w, "mtrace serve answers for addresses, localhost and the machine's name; --host allows others",
				http.StatusForbidden)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// metrics answers with what is known now.
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

// follow reads at intervals, so that the amount to read at once stays small.
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

// look finds traces that are being written, and reads new data.
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

// next reads the new data of a trace, until the trace has ended or is gone.
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
		if _, left := os.Stat(path); left == nil { // it was renamed, and the data before that is still to be read
			return
		}
	}
	f.Ended, f.over = true, time.Now()
	f.file.Close()
}
