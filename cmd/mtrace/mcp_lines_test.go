package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/tools"
)

// answersOf starts the server, sends it all lines followed at once by the end of input, and returns the answers by id,
// and the error codes of answers without an id, in order.
func answersOf(t *testing.T, lines ...string) (byID map[string]json.RawMessage, codes []int, exit error) {
	t.Helper()
	cmd := exec.Command(tool.mtrace, "mcp")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	out, err := saidBy(cmd, commandLimit)
	byID = map[string]json.RawMessage{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var answer struct {
			ID    any
			Error *struct{ Code int }
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Errorf("%v: %.200s", err, line)
			continue
		}
		if answer.ID == nil && answer.Error != nil {
			codes = append(codes, answer.Error.Code)
			continue
		}
		byID[fmt.Sprint(answer.ID)] = json.RawMessage(line)
	}
	return byID, codes, err
}

const (
	mcpHello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	mcpReady = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

// TestMCPAnswersEverything: a line that is no message gets an error, and the server continues; requests that the end of
// input follows at once are all answered. The server ended at the first malformed line, and at the end of input without
// an answer.
func TestMCPAnswersEverything(t *testing.T) {
	t.Parallel()
	trace, err := filepath.Abs(smallTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{"this is no JSON", mcpHello, `{"jsonrpc":"2.0","id":`, mcpReady, `[]`, `17`, "", "\x00\xff\x1b",
		`{"jsonrpc":"1.0","id":"old","method":"ping"}`,
		strings.Repeat("x", tools.LongestMessage+1)}
	const asked = 12
	for i := range asked {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"report",`+
			`"arguments":{"path":%q,"sections":["verdict"]}}}`, 100+i, trace))
	}
	lines = append(lines, `{"jsonrpc":"2.0","id":"last","method":"tools/list"}`) // without a newline behind it
	byID, codes, err := answersOf(t, lines...)
	if err != nil {
		t.Errorf("the server ends with %v", err)
	}
	if want := "[-32700 -32700 -32600 -32600 -32700 -32700]"; fmt.Sprint(codes) != want {
		t.Errorf("errors %v, want %s", codes, want)
	}
	for i := range asked {
		if answer := string(byID[fmt.Sprint(100+i)]); !strings.Contains(answer, `"result"`) ||
			strings.Contains(answer, `"isError":true`) {
			t.Errorf("request %d is answered with %.300s", 100+i, answer)
		}
	}
	if !strings.Contains(string(byID["1"]), "serverInfo") || !strings.Contains(string(byID["last"]), "what_if") ||
		!strings.Contains(string(byID["old"]), "-32600") {
		t.Errorf("%s\n%s\n%s", byID["1"], byID["last"], byID["old"])
	}
}

// TestMCPEndsAfterACancelledRequest: the server does not wait for a request that the client cancelled.
func TestMCPEndsAfterACancelledRequest(t *testing.T) {
	t.Parallel()
	_, _, err := answersOf(t, mcpHello, mcpReady,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"report","arguments":{"path":"nothing"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	if err != nil {
		t.Error(err)
	}
}
