package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// chromium is the browser of the tests, or why there is none.
var chromium = sync.OnceValues(func() (path, missing string) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		folder, err := os.MkdirTemp("", "mtrace-page-")
		if err != nil {
			return "", err.Error()
		}
		defer os.RemoveAll(folder)
		if out, log, err := browse(path, folder, "about:blank"); err != nil || !strings.Contains(out, "<html>") {
			return "", fmt.Sprintf("%s does not run here: %v: %s", name, err, last(log, 300))
		}
		return path, ""
	}
	return "", "no Chromium is installed: apt-get install chromium"
})

func last(text string, most int) string { return text[max(0, len(text)-most):] }

// browse has the browser load a page and run its scripts, and returns its document and log.
func browse(path, folder, address string, more ...string) (document, log string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=" + filepath.Join(folder, "profile"),
		"--enable-logging=stderr", "--v=0", "--hide-scrollbars", "--timeout=300000", "--virtual-time-budget=20000", "--dump-dom"}, more...)
	c := exec.CommandContext(ctx, path, append(args, address)...)
	c.Env = append(os.Environ(), "HOME="+folder)
	c.WaitDelay = 10 * time.Second
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	err = c.Run()
	return out.String(), errs.String(), err
}

// tries is how often a browser may give up.
const tries = 3

// look is what a browser made of a page.
type look struct {
	said    map[string]any // by the script that looked
	console []string
	page    string
}

var (
	consoleLine = regexp.MustCompile(`(?m)^.*CONSOLE.*$`)
	saidElement = regexp.MustCompile(`(?s)<pre id="said">(.*?)</pre>`)
	policyLine  = regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
)

// lookAt loads a page in a browser of a size. Script looks at it, when all is drawn: it is the body of a function that returns an object. Without a
// script the page is as it is, with its policy.
func lookAt(t *testing.T, page []byte, size, script string) look {
	t.Helper()
	path, missing := chromium()
	if missing != "" {
		t.Skip(missing)
	}
	text := string(page)
	if script != "" {
		text = policyLine.ReplaceAllString(text, "")
		if text == string(page) {
			t.Fatal("the page has no policy")
		}
		tail := `<script>addEventListener("load", async () => { const said = document.createElement("pre"); said.id = "said";
			try { said.textContent = JSON.stringify(await (async () => {` + script + `})()); } catch (e) { said.textContent = JSON.stringify({error: String(e)}); }
			document.body.append(said); });</script></body>`
		at := strings.LastIndex(text, "</body>")
		text = text[:at] + tail + text[at+len("</body>"):]
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "page.html")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	l := look{}
	var found []string
	for try := range tries { // on a machine that stands still a browser may give up
		page, log, err := browse(path, folder, "file://"+file, "--window-size="+size)
		l.page, l.console, found = page, consoleLine.FindAllString(log, -1), saidElement.FindStringSubmatch(page)
		if err == nil && page != "" && (script == "" || found != nil) {
			break
		}
		if try == tries-1 {
			if _, _, err := browse(path, folder, "about:blank"); err != nil {
				t.Skipf("%s does not get through any more, with an empty page neither: %v", path, err)
			}
			t.Fatalf("%s: %v: %s", path, err, last(log, 1000))
		}
	}
	if script != "" {
		if err := json.Unmarshal([]byte(html.UnescapeString(found[1])), &l.said); err != nil || l.said["error"] != nil {
			t.Fatalf("%v: %s", err, found[1])
		}
	}
	return l
}

// picture keeps a picture of a page in the folder that MTRACE_PICTURES names, for people to look at.
func picture(t *testing.T, page []byte, name, size string, more ...string) {
	t.Helper()
	to := os.Getenv("MTRACE_PICTURES")
	path, missing := chromium()
	if to == "" || missing != "" {
		return
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "page.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, log, err := browse(path, folder, "file://"+file, append(more, "--window-size="+size, "--screenshot="+filepath.Join(to, name+".png"))...); err != nil {
		t.Error(err, last(log, 500))
	}
}

// TestBrowserTells: what a page does wrong is seen, so that the tests below can fail.
func TestBrowserTells(t *testing.T) {
	l := lookAt(t, []byte(`<html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'"></head><body><script>throw new Error("seen")</script></body></html>`), "800,600", "")
	if len(l.console) == 0 || !strings.Contains(strings.Join(l.console, " "), "Content Security Policy") {
		t.Errorf("a script that the policy does not allow is not told of: %q", l.console)
	}
	l = lookAt(t, []byte(`<html><head><meta http-equiv="Content-Security-Policy" content="x"></head><body><script>throw new Error("seen")</script></body></html>`), "800,600", "return {a: 1}")
	if len(l.console) == 0 || l.said["a"] != 1.0 {
		t.Errorf("an error is not told of: %q", l.console)
	}
}
