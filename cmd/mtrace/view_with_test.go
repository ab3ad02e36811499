package main

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestViewWith: a converted trace is served to the page of another tool only; nothing is left behind.
func TestViewWith(t *testing.T) {
	trace := "../../fixtures/traces/device-sync.mtrace"
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	for name, c := range map[string]struct{ with, origin, holds string }{
		"firefox":    {"https://profiler.firefox.com/from-url/", "https://profiler.firefox.com", `"meta"`},
		"speedscope": {"https://www.speedscope.app/#profileURL=", "https://www.speedscope.app", "speedscope"},
	} {
		t.Run(name, func(t *testing.T) {
			v := view(t, "--with", name, trace)
			rest, found := strings.CutPrefix(v.address, c.with)
			at, err := url.QueryUnescape(rest)
			if !found || err != nil || !strings.HasPrefix(at, "http://127.0.0.1:") {
				t.Fatalf("the address is %q", v.address)
			}
			ask := func(method, at, origin string) (int, http.Header, string) {
				r, err := http.NewRequest(method, at, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Origin", origin)
				answer, err := (&http.Client{Timeout: patience}).Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer answer.Body.Close()
				text, _ := io.ReadAll(answer.Body)
				return answer.StatusCode, answer.Header, string(text)
			}
			status, head, text := ask("GET", at, c.origin)
			if status != 200 || head.Get("Access-Control-Allow-Origin") != c.origin || !strings.Contains(text, c.holds) {
				t.Errorf("the tool's page gets %d %v %.80q", status, head, text)
			}
			if status, head, _ := ask("OPTIONS", at, c.origin); status != 204 ||
				head.Get("Access-Control-Allow-Private-Network") != "true" {
				t.Errorf("a preflight gets %d %v", status, head)
			}
			if _, head, _ := ask("GET", at, "https://example.com"); head.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("another page may read it: %v", head)
			}
			u, _ := url.Parse(at)
			u.Path = "/" + filepath.Base(u.Path)
			if status, _, _ := ask("GET", u.String(), c.origin); status != 403 {
				t.Errorf("without the token it is %d", status)
			}
			if err := v.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := v.Wait(); err != nil {
				t.Errorf("it ends with %v", err)
			}
			if left, _ := filepath.Glob(filepath.Join(folder, "mtrace-view-*")); len(left) > 0 {
				t.Errorf("it leaves %v", left)
			}
		})
	}
	for _, wrong := range [][]string{{"--with", "excel"}, {"--with", "perfetto", "--port", "9002"}} {
		got := sh(t, "", nil, tool.mtrace, append(append([]string{"view"}, wrong...), trace)...)
		if got.exit != 2 || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%v: exit %d, %q", wrong, got.exit, got.stderr)
		}
	}
}

// TestQuiet: with --quiet only results and errors are printed.
func TestQuiet(t *testing.T) {
	trace, folder := "../../fixtures/traces/device-sync.mtrace", t.TempDir()
	page := filepath.Join(folder, "page.html")
	if got := sh(t, "", nil, tool.mtrace, "report", "--html", page, trace); got.exit != 0 || got.stderr == "" {
		t.Fatalf("without --quiet: %+v", got)
	}
	if got := sh(t, "", nil, tool.mtrace, "--quiet", "report", "--html", page, "--force", trace); got.exit != 0 ||
		got.stderr != "" {
		t.Errorf("with --quiet: %+v", got)
	}
	if got := sh(t, "", nil, tool.mtrace, "report", "--quiet", filepath.Join(folder, "none")); got.exit != 2 ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("an error with --quiet: %+v", got)
	}
	if got := sh(t, "", nil, tool.mtrace, "--quiet", "report", trace); got.exit != 0 ||
		!strings.Contains(got.stdout, "VERDICT") {
		t.Errorf("a result with --quiet: %+v", got)
	}
}
