package page

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"mtrace/fixtures/consumers"
	_ "mtrace/fixtures/testheap"
)

// look is the result of loading a page in a browser.
type look struct {
	said    map[string]any // by the script that looked
	console []string
	page    string
}

var (
	saidElement = regexp.MustCompile(`(?s)<pre id="said">(.*?)</pre>`)
	policyLine  = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
)

// shared is the browser that loads all pages of the tests, with its profile in folder.
var shared struct {
	mu     sync.Mutex
	loads  *consumers.Session
	folder string
}

// session returns the shared browser. It starts at first, and again after a crash.
func session(t *testing.T) *consumers.Session {
	t.Helper()
	browser := consumers.Chromium(t)
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.loads != nil && !shared.loads.Ended() {
		return shared.loads
	}
	endSession()
	var err error
	if shared.folder, err = os.MkdirTemp("", "mtrace-page-"); err != nil {
		t.Fatal(err)
	}
	if shared.loads, err = browser.Start(shared.folder); err != nil {
		t.Fatal(err)
	}
	return shared.loads
}

// endSession ends the shared browser and removes its folder.
func endSession() {
	if shared.loads != nil {
		shared.loads.Close()
	}
	if shared.folder != "" {
		os.RemoveAll(shared.folder)
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	endSession()
	os.Exit(code)
}

// lookAt loads a page in a window of a size. Script looks at it, when all is drawn: it is the body of a function that
// returns an object. Without a script the page is as it is, with its policy.
func lookAt(t *testing.T, page []byte, size, script string) look {
	t.Helper()
	var w consumers.Window
	if _, err := fmt.Sscanf(size, "%d,%d", &w.Width, &w.Height); err != nil {
		t.Fatal(err)
	}
	return lookIn(t, page, w, script)
}

// lookIn is lookAt in a window that may be dark.
func lookIn(t *testing.T, page []byte, w consumers.Window, script string) look {
	t.Helper()
	browser := session(t)
	text := string(page)
	if script != "" {
		text = policyLine.ReplaceAllString(text, "")
		if text == string(page) {
			t.Fatal("the page has no policy")
		}
		tail := `<script>addEventListener("load", async () => { const said = document.createElement("pre"); said.id = "said";
			try { said.textContent = JSON.stringify(await (async () => {` + script + `})()); }
			catch (e) { said.textContent = JSON.stringify({error: String(e)}); }
			document.body.append(said); });</script></body>`
		at := strings.LastIndex(text, "</body>")
		text = text[:at] + tail + text[at+len("</body>"):]
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	l := look{}
	said := func(s consumers.Seen) []string { return saidElement.FindStringSubmatch(s.Document) }
	seen := browser.See(t, "file://"+file, w, func(s consumers.Seen) bool { return script == "" || said(s) != nil })
	l.page, l.console = seen.Document, seen.Console()
	if script != "" {
		if err := json.Unmarshal([]byte(html.UnescapeString(said(seen)[1])), &l.said); err != nil || l.said["error"] != nil {
			t.Fatalf("%v: %s", err, said(seen)[1])
		}
	}
	return l
}

// picture keeps a picture of a page in the folder that MTRACE_PICTURES names, for people to look at.
func picture(t *testing.T, page []byte, name, size string, more ...string) {
	t.Helper()
	to := os.Getenv("MTRACE_PICTURES")
	browser, missing := consumers.FindChromium()
	if to == "" || missing != "" {
		return
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "page.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	if seen, err := browser.Load(folder, "file://"+file, append(more, "--window-size="+size,
		"--screenshot="+filepath.Join(to, name+".png"))...); err != nil {
		t.Error(err, seen.Last(500))
	}
}

// TestBrowserTells: errors of a page are detected, so that the tests below can fail.
func TestBrowserTells(t *testing.T) {
	t.Parallel() // a browser loads pages, which waits
	document := func(policy, body string) []byte {
		return []byte(`<html><head><meta http-equiv="Content-Security-Policy" content="` + policy + `"></head><body>` + body +
			`</body></html>`)
	}
	const throws = `<script>throw new Error("seen")</script>`
	l := lookAt(t, document("default-src 'none'", throws), "800,600", "")
	if len(l.console) == 0 || !strings.Contains(strings.Join(l.console, " "), "Content Security Policy") {
		t.Errorf("a script that the policy does not allow is not told of: %q", l.console)
	}
	l = lookAt(t, document("x", throws), "800,600", "return {a: 1}")
	if len(l.console) == 0 || l.said["a"] != 1.0 {
		t.Errorf("an error is not told of: %q", l.console)
	}
	l = lookAt(t,
		document("x", `<p style="color:#999">faint</p><p>clear</p><div style="background:#000"><b>black</b></div>`),
		"800,600", faint)
	if got := fmt.Sprint(l.said["looked"], l.said["faint"]); got != "3 [2.85 P faint 1.00 B black]" {
		t.Errorf("of what is hard to read it says %s", got)
	}
}
