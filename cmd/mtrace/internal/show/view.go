package show

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"mtrace/analyze"
	"mtrace/analyze/page"
	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
	"mtrace/collector"
)

func ViewCommand() cli.Command {
	return cli.Command{
		Name:    "view",
		Summary: "Show a trace in a browser: the report, and a timeline with every call",
		Usage:   "[flags] FILE",
		Example: "mtrace view trace.mtrace   # prints an address of this machine, and serves it until Ctrl-C\n" +
			"  mtrace view --with perfetto --open trace.mtrace",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var v viewer
			flags.Uint16Var(&v.port, "port", 0, "serve on this `PORT` of 127.0.0.1; 0 selects a free port")
			flags.BoolVar(&v.open, "open", false, "open the address in the browser")
			flags.StringVar(&v.with, "with", "",
				"show the trace in the web page of another `TOOL`: perfetto, firefox or speedscope. "+
					"The page reads it from this machine; nothing is uploaded")
			v.part.Flags(flags)
			return func(std cli.Stdio, args []string) error { return v.run(std, args) }
		},
	}
}

// viewer holds the flags of mtrace view, which shows one trace in a browser.
type viewer struct {
	port uint16
	open bool
	with string // the tool whose page shows the trace; empty for our own page
	part loading.Selection
}

func (v *viewer) run(std cli.Stdio, args []string) error {
	if len(args) != 1 {
		return cli.UsageError("give one trace, not %d: mtrace view FILE", len(args))
	}
	if err := v.part.Check(); err != nil {
		return err
	}
	var tool viewTool
	if v.with != "" {
		var err error
		if tool, err = v.tool(); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", v.port)) // before the work, which may take long
	if err != nil {
		return cli.UsageError("port %d is not available: %w; without --port mtrace selects a free one", v.port, err)
	}
	defer listener.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if v.with != "" {
		return v.runWith(ctx, std, listener, tool, args[0])
	}
	if err := readable(args[0]); err != nil {
		return err
	}
	server := page.NewServer(listener.Addr().(*net.TCPAddr).Port)
	failed := make(chan error, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		if err := v.prepare(std, args[0], server); err != nil {
			failed <- err
			cancel()
		}
	}()
	err = v.serve(ctx, std, listener, server)
	select {
	case err := <-failed:
		return err
	default:
		return err
	}
}

// readable returns an error if the trace cannot be opened, before an address is printed. Damage inside is found
// later, when it is read.
func readable(path string) error {
	if loading.Instruments(path) {
		return nil
	}
	file, err := loading.OpenTrace(path)
	if err != nil {
		return err
	}
	return file.Close()
}

// prepare builds the page and gives it to the server, together with the function that draws a zoomed range in detail.
func (v *viewer) prepare(std cli.Stdio, path string, server *page.Server) error {
	r, trace, whole, err := (&ReportView{part: v.part}).buildPage(std, path, report.Options{Document: true})
	if err != nil {
		return err
	}
	whole.Detail = !loading.Instruments(path)
	var text bytes.Buffer
	if err := page.Write(&text, r, whole); err != nil {
		return err
	}
	if err := loading.CutError(trace); err != nil {
		cli.PrintLine(std.Err, "mtrace view: %v", err)
	}
	server.Show(text.Bytes(), func(ctx context.Context, from, to analyze.Nanos) (*page.Document, error) {
		if !whole.Detail {
			return nil, errors.New("the page already shows every event")
		}
		return v.detail(ctx, path, whole, from, to)
	})
	return nil
}

// detail draws the range from–to of the run, for zooming, in the same colours as the whole page.
func (v *viewer) detail(ctx context.Context, path string, whole *page.Document, from, to analyze.Nanos) (
	*page.Document, error) {
	file, err := loading.OpenTrace(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	part := loading.Selection{From: time.Duration(from), To: time.Duration(to), PIDs: v.part.PIDs,
		Sources: v.part.Sources}
	return drawFile(ctx, &part, file, path, whole, func(int, int) {})
}

// serve prints the page's address and answers requests until ctx is done.
func (v *viewer) serve(ctx context.Context, std cli.Stdio, listener net.Listener, pages *page.Server) error {
	address := fmt.Sprintf("http://%s%s", listener.Addr(), pages.Path())
	return v.answer(ctx, std, listener, address, pages, "serving until Ctrl-C; "+
		"everyone on this machine who knows the address can read it")
}

// answer prints the address and the note, opens a browser if --open is given, and serves the pages until ctx is done.
func (v *viewer) answer(ctx context.Context, std cli.Stdio, listener net.Listener, address string, pages http.Handler,
	note string) error {
	fmt.Fprintln(std.Out, address)
	fmt.Fprintln(std.Err, "mtrace view: "+note)
	if v.open {
		file, err := leadTo(address)
		if err == nil {
			defer os.Remove(file)
			err = openBrowser(file)
		}
		if err != nil {
			fmt.Fprintf(std.Err, "mtrace view: cannot open a browser: %v; open the address yourself\n", err)
		}
	}
	server := &http.Server{Handler: pages, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case <-ctx.Done():
		return server.Close()
	case err := <-ended:
		return err
	}
}

// leadTo creates an HTML file, readable only by this user, that redirects the browser to the address. The address is
// secret: as an argument of the browser all users of the machine could see it.
func leadTo(address string) (path string, err error) {
	file, err := os.CreateTemp(collector.TemporaryFolder(), "mtrace-view-*.html")
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintf(file, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=%[1]s">`+
		`<a href="%[1]s">the trace</a>`, address)
	return file.Name(), errors.Join(err, file.Close())
}

// openBrowser opens a file with the system's default application.
func openBrowser(path string) error {
	name := "xdg-open"
	if runtime.GOOS == "darwin" {
		name = "open"
	}
	c := exec.Command(name, path)
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }()
	return nil
}
