package show

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mtrace/analyze/page"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/convert"
	"mtrace/collector"
)

// A viewTool is the web page of another tool that can show a trace. The page runs in the user's browser and reads the
// trace from this machine; nothing is uploaded.
type viewTool struct {
	name   string // the value of --with, and the format of mtrace export
	origin string
	// address returns the URL of the tool's page with the address of the trace in it
	address func(trace string) string
	port    uint16 // the only port that the tool's page may read from; 0 for any
}

var viewTools = []viewTool{
	// The content security policy of Perfetto's page allows only port 9001 of this machine.
	{"perfetto", "https://ui.perfetto.dev", func(trace string) string {
		return "https://ui.perfetto.dev/#!/?url=" +
			url.QueryEscape(trace)
	}, 9001},
	{"firefox", "https://profiler.firefox.com", func(trace string) string {
		return "https://profiler.firefox.com/from-url/" +
			url.QueryEscape(trace)
	}, 0},
	{"speedscope", "https://www.speedscope.app", func(trace string) string {
		return "https://www.speedscope.app/#profileURL=" +
			url.QueryEscape(trace)
	}, 0},
}

// tool returns the tool that --with names. If the tool's page can read from only one port, it also sets that port.
func (v *viewer) tool() (viewTool, error) {
	i := slices.IndexFunc(viewTools, func(t viewTool) bool { return t.name == v.with })
	if i < 0 {
		var names []string
		for _, t := range viewTools {
			names = append(names, t.name)
		}
		return viewTool{}, cli.UsageError("unknown tool --with %s: give %s", v.with, strings.Join(names, ", "))
	}
	tool := viewTools[i]
	if v.port == 0 {
		v.port = tool.port
	}
	if tool.port != 0 && v.port != tool.port {
		return tool, cli.UsageError("--port %d: the page of %s can read only from port %d of this machine", v.port,
			tool.name, tool.port)
	}
	return tool, nil
}

// runWith exports the trace to the tool's format, and serves that file to the tool's page until ctx is done.
func (v *viewer) runWith(ctx context.Context, std cli.Stdio, listener net.Listener, tool viewTool, path string) error {
	folder, err := os.MkdirTemp(collector.TemporaryFolder(), "mtrace-view-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	base := filepath.Base(path)
	name := strings.TrimSuffix(base, filepath.Ext(base)) + convert.FormatNamed(tool.name).Suffix
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer nowhere.Close()
	done := make(chan error, 1)
	go func() {
		job := convert.ExportJob{Formats: []string{tool.name}, Output: filepath.Join(folder, name), Selection: v.part}
		done <- job.Write(cli.Stdio{In: std.In, Out: nowhere, Err: std.Err}, path)
	}()
	select {
	case <-ctx.Done():
		return nil
	case err := <-done:
		if err != nil {
			return err
		}
	}
	files := page.NewFileServer(listener.Addr().(*net.TCPAddr).Port, filepath.Join(folder, name), name, tool.origin)
	trace := url.URL{Scheme: "http", Host: listener.Addr().String(), Path: files.Path()}
	return v.answer(ctx, std, listener, tool.address(trace.String()), http.Handler(files),
		fmt.Sprintf("serving the trace to %s in a browser of this machine until Ctrl-C; nothing is uploaded", tool.origin))
}
