package tools

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/pflag"

	"mtrace/analyze/cause"
	"mtrace/analyze/query"
	"mtrace/analyze/report"
	"mtrace/analyze/table"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector"
)

func McpCommand() cli.Command {
	return cli.Command{
		Name: "mcp",
		Summary: "Serve AI assistants that ask about traces, " +
			"by the Model Context Protocol (MCP) on standard input and output",
		Usage:   "",
		Example: "claude mcp add mtrace -- mtrace mcp   # or the same command in the settings of another client",
		Setup: func(*pflag.FlagSet) func(cli.Stdio, []string) error {
			return func(std cli.Stdio, args []string) error {
				if len(args) > 0 {
					return cli.UsageError("unexpected argument %q: the assistant names the traces in its requests",
						args[0])
				}
				return serveMCP(std)
			}
		},
	}
}

// mcpHelp is the description that an assistant gets of mtrace's tools.
const mcpHelp = "mtrace traces programs that use Apple's Metal: " +
	"which threads wait for which and why, the GPU's work, and the changes that would make the program faster. " +
	"Begin with report, whose first lines are the verdict. " +
	"what_if predicts the run with a change; query answers questions about single tables; diff compares two runs. " +
	"The first lines also say what a trace lacks (lost, left out, cut): include that in your answer."

// An assistant answers an MCP client's requests by running mtrace's own commands. Each runs in a separate process, so
// that one that fails or needs too much memory does not end the server.
type assistant struct {
	self   string // path of the mtrace executable
	mutex  sync.Mutex
	tables map[string]string // folders of exported tables, by trace
	dir    string            // the parent of the folders in tables; empty before the first export
	leave  func()            // removes dir
}

// McpFolders is how the names of temporary folders with exported tables begin.
const McpFolders = "mtrace-mcp-"

// serveMCP answers requests until the client closes the connection or a signal arrives.
func serveMCP(std cli.Stdio) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	collector.SweepScratch(McpFolders)
	a := &assistant{self: self, tables: map[string]string{}}
	defer a.tidy()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	server := mcp.NewServer(&mcp.Implementation{Name: "mtrace", Version: cli.ToolVersion()},
		&mcp.ServerOptions{Instructions: mcpHelp})
	a.add(server)
	if err := server.Run(ctx, &lineTransport{std.In, std.Out}); ctx.Err() == nil &&
		!errors.Is(err, mcp.ErrConnectionClosed) {
		return err
	}
	return nil
}

func (a *assistant) tidy() {
	if a.dir != "" {
		a.leave()
	}
}

type reportQuestion struct {
	Path     string   `json:"path" jsonschema:"the trace: a .mtrace file, or a recording or export of Instruments"`
	Sections []string `json:"sections,omitempty" jsonschema:"only these sections; empty means all"`
	Threads  []string `json:"threads,omitempty" jsonschema:"only these threads, by number or by name, such as worker-*"`
	From     string   `json:"from,omitempty" jsonschema:"only what happened from this time after the start, such as 1.5s"`
	To       string   `json:"to,omitempty" jsonschema:"only what happened up to this time after the start"`
	JSON     bool     `json:"json,omitempty" jsonschema:"answer with the report as JSON, which is large, instead of text"`
}

type whatIfQuestion struct {
	Path    string   `json:"path" jsonschema:"the trace"`
	Changes []string `json:"changes" jsonschema:"the changes, applied together; each as KIND:NAME=FACTOR"`
}

type diffQuestion struct {
	A string `json:"a" jsonschema:"the first side: a trace, several separated by commas, or a folder of traces"`
	B string `json:"b" jsonschema:"the second side, in the same form, which is compared with the first"`
}

type queryQuestion struct {
	Path string `json:"path" jsonschema:"the trace"`
	query.Query
}

// add registers mtrace's tools (report, what_if, diff, tables, query) with the server.
func (a *assistant) add(server *mcp.Server) {
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true}
	mcp.AddTool(server, &mcp.Tool{Name: "report", Annotations: reads,
		Description: "The report on a trace: " +
			"the verdict (why the program is not faster), its evidence, the changes that would help, and tables. " +
			"Its sections are " + strings.Join(report.Sections(), ", ") + "."},
		func(ctx context.Context, _ *mcp.CallToolRequest, q reportQuestion) (*mcp.CallToolResult, any, error) {
			args := []string{"report"}
			if q.JSON {
				args = append(args, "--json")
			} else {
				args = append(args, "--wide")
			}
			for flag, value := range map[string]string{"--section": strings.Join(q.Sections, ","),
				"--thread": strings.Join(q.Threads, ","), "--from": q.From, "--to": q.To} {
				if value != "" {
					args = append(args, flag+"="+value)
				}
			}
			return a.answer(ctx, append(args, "--", q.Path)...)
		})
	mcp.AddTool(server, &mcp.Tool{Name: "what_if", Annotations: reads,
		Description: "Predicts how much faster a traced run would be with a change, by simulating the run again. " +
			"A change is KIND:NAME=FACTOR. FACTOR 1 leaves the times as they are, 0 removes them: kernel:axpy*=0.5 halves " +
			"kernels whose names begin with axpy, call:commit=0.5 halves calls, cause:queue-depth=0 removes a cause's waits. " +
			"The kinds are " + strings.Join(cause.Kinds(), ", ") + "."},
		func(ctx context.Context, _ *mcp.CallToolRequest, q whatIfQuestion) (*mcp.CallToolResult, any, error) {
			if len(q.Changes) == 0 {
				return nil, nil, errors.New("no changes to predict")
			}
			return a.answer(ctx, "report", "--wide", "--section=verdict", "--what-if="+strings.Join(q.Changes, ","),
				"--", q.Path)
		})
	mcp.AddTool(server, &mcp.Tool{Name: "diff", Annotations: reads,
		Description: "Compares two runs, per call, kernel and thread: the changes, and whether each is more than noise."},
		func(ctx context.Context, _ *mcp.CallToolRequest, q diffQuestion) (*mcp.CallToolResult, any, error) {
			return a.answer(ctx, "diff", "--", q.A, q.B)
		})
	mcp.AddTool(server, &mcp.Tool{Name: "tables", Annotations: reads,
		Description: "The tables of a trace that the tool query reads: their columns and the meaning of each. " +
			"Times end in _ns; join tables on pid and ids."},
		func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			schema, err := table.EventsSchema()
			return textResult(string(schema)), nil, err
		})
	mcp.AddTool(server, &mcp.Tool{Name: "query", Annotations: reads,
		Description: "Rows of one table of a trace, with conditions, groups and aggregates. " +
			"The tool named tables lists the columns."},
		func(ctx context.Context, _ *mcp.CallToolRequest, q queryQuestion) (*mcp.CallToolResult, *query.Answer, error) {
			folder, err := a.exported(ctx, q.Path)
			if err != nil {
				return nil, nil, err
			}
			answer, err := query.Run(folder, q.Query)
			return nil, answer, err
		})
}

// mostAnswer is how many bytes of a command's output are returned; the rest is cut with a remark.
const mostAnswer = 400_000

// answer runs a command of mtrace and returns what it prints as the tool's result.
func (a *assistant) answer(ctx context.Context, args ...string) (*mcp.CallToolResult, any, error) {
	text, err := a.run(ctx, args...)
	if err != nil {
		return nil, nil, err
	}
	if len(text) > mostAnswer {
		text = strings.ToValidUTF8(text[:mostAnswer], "") + "\n… cut here because it is too long: " +
			"request single sections, or a time range"
	}
	return textResult(text), nil, nil
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// run runs a command of mtrace and returns its output. If the command fails without output, its standard error
// becomes the error. Otherwise its standard error is appended to the output, because it may warn that the trace is
// incomplete.
func (a *assistant) run(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, a.self, args...)
	command.Env = append(os.Environ(), "NO_COLOR=1")
	var out, said bytes.Buffer
	command.Stdout, command.Stderr = &out, &said
	err := command.Run()
	words := strings.TrimSpace(said.String())
	if err != nil && out.Len() == 0 {
		return "", errors.New(cmp.Or(words, err.Error()))
	}
	if words != "" {
		out.WriteString("\n" + words + "\n")
	}
	return out.String(), nil
}

// exported returns the folder with the trace's tables as Parquet. They are exported at the first request, and again
// if the trace has changed.
func (a *assistant) exported(ctx context.Context, path string) (string, error) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	key := fmt.Sprint(path, "\x00", info.Size(), "\x00", info.ModTime().UnixNano())
	if folder := a.tables[key]; folder != "" {
		return folder, nil
	}
	if a.dir == "" {
		if a.dir, a.leave, err = collector.Scratch(McpFolders); err != nil {
			return "", err
		}
	}
	folder := filepath.Join(a.dir, fmt.Sprint(len(a.tables)))
	if _, err := a.run(ctx, "export", "--format=parquet", "--output="+folder, "--", path); err != nil {
		return "", err
	}
	a.tables[key] = folder
	return folder, nil
}
