package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"mtrace/analyze/page"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/fixtures/consumers"
	"mtrace/fixtures/longtrace"
)

// viewing is a mtrace view that serves.
type viewing struct {
	*exec.Cmd
	address string
}

// view starts the command, and waits until it serves.
func view(t *testing.T, args ...string) viewing {
	t.Helper()
	cmd := exec.Command(tool.mtrace, append([]string{"view"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	startInTime(t, cmd)
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("it says no address: %v", err)
	}
	return viewing{cmd, strings.TrimSpace(address)}
}

// get sends a request with a host name, and repeats it while the page is being built.
func (v viewing) get(t *testing.T, method, path, host string) (status int, text string) {
	t.Helper()
	for {
		if status, text = v.request(t, method, path, host); status != http.StatusAccepted {
			return status, text
		}
	}
}

// request sends one request to it.
func (v viewing) request(t *testing.T, method, path, host string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest(method, v.address+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		r.Host = host
	}
	answer, err := (&http.Client{Timeout: patience}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// TestView: until Ctrl-C the page is served, with more detail of each range, to requests that address this machine by
// its name.
func TestView(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.mtrace")
	if _, err := longtrace.Write(path, longtrace.Shapes[0], 60_000, 2); err != nil {
		t.Fatal(err)
	}
	v := view(t, path)
	if status, text := v.get(t, "GET", "", ""); status != 200 || !strings.Contains(text, "page-data") ||
		!strings.Contains(text, "connect-src") {
		t.Errorf("the page is %d: %.200s", status, text)
	}
	status, text := v.get(t, "GET", "detail?from=50000000&to=52000000", "")
	var d page.Document
	if err := json.Unmarshal([]byte(text), &d); status != 200 || err != nil || d.Schema != page.Schema ||
		len(d.Lanes) < 6 || d.FlowsOf != 1 || len(d.Flows) == 0 {
		t.Errorf("a part is %d, %v: %.300s", status, err, text)
	}
	for i := range d.Lanes {
		if l := &d.Lanes[i]; len(l.Levels[0].Cells) > 0 || l.Count == 0 {
			t.Errorf("lane %s of a short part does not have each block: %v", l.Key, l.Levels[0])
		}
	}
	for _, c := range []struct {
		method, path, host string
		want               int
	}{
		{"GET", "detail?from=9&to=3", "", 400}, {"GET", "detail?from=-1&to=3", "", 400}, {"GET", "detail", "", 400},
		{"GET", "nothing", "", 404}, {"POST", "", "", 405},
		{"GET", "", "attacker.example", 403}, {"GET", "detail?from=0&to=9", "attacker.example:80", 403},
		{"GET", "", "127.0.0.1:1", 403},
	} {
		if status, _ := v.get(t, c.method, c.path, c.host); status != c.want {
			t.Errorf("%s %s as %q is answered with %d, not %d", c.method, c.path, c.host, status, c.want)
		}
	}
	// Other users of the machine reach the port too: without the token nothing is reported, and nothing in the page
	// leads away with it.
	port := v.address[:strings.LastIndex(strings.TrimSuffix(v.address, "/"), "/")+1]
	for _, path := range []string{"", "detail?from=0&to=9", "favicon.ico", "AAAAAAAAAAAAAAAAAAAAAAAAAA/",
		"AAAAAAAAAAAAAAAAAAAAAAAAAA/detail?from=0&to=9"} {
		if status, text := (viewing{address: port}).get(t, "GET", path, ""); status != 403 ||
			strings.Contains(text, "page-data") {
			t.Errorf("%s without the token is answered with %d: %.100s", path, status, text)
		}
	}
	if token := strings.TrimPrefix(v.address, port); len(token) < 24 {
		t.Errorf("the token is %q", token)
	}
	if err := v.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := v.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
}

// TestViewServesAtOnce: the address is printed, and answered, before the trace is analysed. It used to be printed
// afterwards, for a long trace after half a minute of silence.
func TestViewServesAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "long.mtrace")
	if _, err := longtrace.Write(path, longtrace.Shapes[0], 2_000_000, 2); err != nil {
		t.Fatal(err)
	}
	v := view(t, path)
	status, text := v.request(t, "GET", "", "")
	if status != http.StatusAccepted || !strings.Contains(text, "being analysed") {
		t.Errorf("before the analysis is done the page is %d: %.200s", status, text)
	}
	if status, text := v.get(t, "GET", "", ""); status != http.StatusOK || !strings.Contains(text, "page-data") {
		t.Errorf("afterwards the page is %d: %.200s", status, text)
	}
}

// TestViewOfNothing: an error in a trace may show only after the address is printed. The command ends then, with one
// line.
func TestViewOfNothing(t *testing.T) {
	for _, args := range [][]string{{"--pid", "1"}, {"--from", "100s"}} {
		cmd := exec.Command(tool.mtrace, append(append([]string{"view"}, args...),
			"../../fixtures/traces/device-sync.mtrace")...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		startInTime(t, cmd)
		err := cmd.Wait()
		if cmd.ProcessState.ExitCode() != cli.ExitUsage || !strings.Contains(stderr.String(), "device-sync.mtrace") {
			t.Errorf("%v: %v %q", args, err, stderr.String())
		}
	}
}

// TestViewSaysWhatIsWrong: a port in use, and a missing trace, end it with one line.
func TestViewSaysWhatIsWrong(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for _, args := range [][]string{{"view", "--port", port, "../../fixtures/traces/device-sync.mtrace"},
		{"view", "nowhere.mtrace"}, {"view"}, {"view", "--from", "2s", "--to", "1s", "x"}} {
		out := sh(t, "", nil, tool.mtrace, args...)
		if out.exit != cli.ExitUsage || out.stdout != "" || strings.Count(out.stderr, "\n") != 1 {
			t.Errorf("%v: %d %q %q", args, out.exit, out.stdout, out.stderr)
		}
	}
}

// TestViewInBrowser: a browser that zooms into a short range of a run gets more detail than the page has, and reports
// no errors.
func TestViewInBrowser(t *testing.T) {
	t.Parallel()
	browser := consumers.Chromium(t)
	folder := t.TempDir()
	path := filepath.Join(folder, "long.mtrace")
	if _, err := longtrace.Write(path, longtrace.Shapes[0], 400_000, 2); err != nil {
		t.Fatal(err)
	}
	v := view(t, path)
	v.get(t, "GET", "", "") // the browser shows the first answer
	seen := browser.See(t, folder, v.address+"#200000000-200500000",
		func(s consumers.Seen) bool { return strings.Contains(s.Document, "data-details=") })
	if !strings.Contains(seen.Document, `data-drawn="yes"`) {
		t.Errorf("it did not draw: %s", regexp.MustCompile(`<(html|section id="timeline")[^>]*>`).FindAllString(
			seen.Document, -1))
	}
	if complaints := seen.Console(); len(complaints) > 0 {
		t.Errorf("it has something to complain about: %q", complaints)
	}
}

// TestViewOpensBrowserInPrivate: the program that opens the browser gets a file that only the user can read, and not
// the address: all users can see command lines.
func TestViewOpensBrowserInPrivate(t *testing.T) {
	opener := "xdg-open"
	if runtime.GOOS == "darwin" {
		opener = "open"
	}
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	script := "#!/bin/sh\ncp -p \"$1\" " + said + ".html && echo \"$1\" >" + said + ".new && mv " + said + ".new " +
		said + "\n"
	if err := os.WriteFile(filepath.Join(dir, opener), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	v := view(t, "--open", "../../fixtures/traces/device-sync.mtrace")
	var path []byte
	for deadline := time.Now().Add(time.Minute); len(path) == 0 &&
		time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		path, _ = os.ReadFile(said)
	}
	page, err := os.ReadFile(said + ".html")
	info, statErr := os.Stat(said + ".html")
	if err != nil || statErr != nil || info.Mode().Perm() != 0o600 || !strings.Contains(string(page), v.address) ||
		strings.Contains(string(path), "http") {
		t.Errorf("%v %v: %q was opened, with %s", err, statErr, path, page)
	}
	v.Process.Signal(os.Interrupt)
	v.Wait()
	if cli.Exists(strings.TrimSpace(string(path))) {
		t.Errorf("%s is left", path)
	}
}
