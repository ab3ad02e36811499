package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mtrace/analyze/query"
	"mtrace/cmd/mtrace/internal/tools"
)

// TestMCP: a client of the protocol starts the server and gets the same answers as the commands print. A wrong question
// gets one clear line, and the next question is answered all the same. When the client exits, the server exits and
// leaves no files behind.
func TestMCP(t *testing.T) {
	t.Parallel()
	trace := smallTrace(t)
	temporary := t.TempDir()
	server := exec.Command(tool.mtrace, "mcp")
	server.Env = append(os.Environ(), "TMPDIR="+temporary)
	server.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(inTime(t), &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := session.ListTools(inTime(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" || tool.InputSchema == nil {
			t.Errorf("tool %s has no description, or no schema", tool.Name)
		}
	}
	if slices.Sort(names); strings.Join(names, " ") != "diff query report tables what_if" {
		t.Errorf("tools %q", names)
	}
	// ask returns the text of an answer, and its structured content.
	ask := func(name string, question map[string]any) (text string, structured any, err error) {
		t.Helper()
		result, err := session.CallTool(inTime(t), &mcp.CallToolParams{Name: name, Arguments: question})
		if err != nil {
			return "", nil, err
		}
		for _, c := range result.Content {
			if of, is := c.(*mcp.TextContent); is {
				text += of.Text
			}
		}
		if result.IsError {
			return "", nil, errors.New(text)
		}
		return text, result.StructuredContent, nil
	}

	want := sh(t, "", []string{"NO_COLOR=1"}, tool.mtrace, "report", "--wide", trace).stdout
	if text, _, err := ask("report", map[string]any{"path": trace}); err != nil || text != want {
		t.Errorf("report: %v\n%s", err, text)
	}
	if text, _, err := ask("report", map[string]any{"path": trace, "json": true}); err != nil ||
		!json.Valid([]byte(text)) {
		t.Errorf("report as JSON: %v\n%s", err, text)
	}
	if text, _, err := ask("what_if", map[string]any{"path": trace,
		"changes": []string{"call:commit=0.5"}}); err != nil || !strings.Contains(text, "commit") {
		t.Errorf("what_if: %v\n%s", err, text)
	}
	if text, _, err := ask("diff", map[string]any{"a": trace, "b": trace}); err != nil || !strings.Contains(text, "A") {
		t.Errorf("diff: %v\n%s", err, text)
	}
	if text, _, err := ask("tables", nil); err != nil || !strings.Contains(text, "command_buffers") ||
		!json.Valid([]byte(text)) {
		t.Errorf("tables: %v\n%s", err, text)
	}
	var r struct {
		Calls []struct {
			Selector string
			Count    int64
			TotalNS  int64 `json:"total_ns"`
		}
	}
	if err := json.Unmarshal([]byte(sh(t, "", nil, tool.mtrace, "report", "--json", trace).stdout), &r); err != nil {
		t.Fatal(err)
	}
	_, structured, err := ask("query", map[string]any{"path": trace, "table": "calls", "group_by": []string{"selector"},
		"where":      []any{map[string]any{"column": "selector", "is": "=", "value": "commit"}},
		"aggregates": []any{map[string]any{"function": "count"}, map[string]any{"function": "sum", "column": "duration_ns"}}})
	document, _ := json.Marshal(structured)
	var answer query.Answer
	if wrong := json.Unmarshal(document, &answer); err != nil || wrong != nil || len(answer.Rows) != 1 {
		t.Fatalf("query: %v, %v: %s", err, wrong, document)
	}
	for _, c := range r.Calls {
		if c.Selector == "commit" && (answer.Rows[0][1] != float64(c.Count) || answer.Rows[0][2] != float64(c.TotalNS)) {
			t.Errorf("query says %v of commit, the report %+v", answer.Rows[0], c)
		}
	}

	for name, wrong := range map[string]map[string]any{
		"report":  {"path": "/nowhere.mtrace"},
		"what_if": {"path": trace, "changes": []string{"weather=0.5"}},
		"diff":    {"a": trace, "b": "--help"}, // a name, and no flag
		"query":   {"path": trace, "table": "colours"},
	} {
		if _, _, err := ask(name, wrong); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s of %v: %v", name, wrong, err)
		}
	}
	if text, _, err := ask("report", map[string]any{"path": trace}); err != nil || text != want {
		t.Errorf("after what is wrong: %v\n%s", err, text)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// The story: the tables of a server that was killed stayed among the temporary files for ever. The next server removes
// them, but neither the tables of a running server nor files that it does not recognise.
func TestMCPRemovesWhatIsLeft(t *testing.T) {
	t.Parallel()
	trace := smallTrace(t)
	temporary := t.TempDir()
	start := func() (*exec.Cmd, *mcp.ClientSession) {
		server := exec.Command(tool.mtrace, "mcp")
		server.Env, server.Stderr = append(os.Environ(), "TMPDIR="+temporary), os.Stderr
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(inTime(t),
			&mcp.CommandTransport{Command: server}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		return server, session
	}
	query := func(session *mcp.ClientSession) {
		t.Helper()
		result, err := session.CallTool(inTime(t), &mcp.CallToolParams{Name: "query",
			Arguments: map[string]any{"path": trace, "table": "calls", "limit": 1}})
		if err != nil || result.IsError {
			t.Fatalf("%v: %+v", err, result)
		}
	}
	folders := func() (names []string) {
		list, err := os.ReadDir(temporary)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range list {
			names = append(names, entry.Name())
		}
		return names
	}
	_, living := start()
	query(living)
	of := folders()
	killed, session := start()
	query(session)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.Process.Wait() // or the client has waited already
	session.Wait()
	if err := os.Mkdir(filepath.Join(temporary, tools.McpFolders+"of-whom"), 0o700); err != nil {
		t.Fatal(err)
	}
	of = append(of, tools.McpFolders+"of-whom")
	if left := folders(); len(left) != 3 {
		t.Fatalf("this test shows nothing: %q", left)
	}
	start()
	slices.Sort(of)
	if left := folders(); !slices.Equal(left, of) {
		t.Errorf("there are %q, want %q", left, of)
	}
	query(living)
}
