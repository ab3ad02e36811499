package page

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestBundle: the chart library in the page is the output of charts/bundle.sh for the locked version.
func TestBundle(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed, and nothing else makes the bundle")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	out := t.TempDir()
	c := exec.CommandContext(ctx, "charts/bundle.sh", out)
	c.Env = append(os.Environ(), "npm_config_fetch_retries=0", "npm_config_fetch_timeout=60000")
	c.WaitDelay = 10 * time.Second
	if text, err := c.CombinedOutput(); err != nil { // of a version whose hash is another one there is no file either
		if bytes.Contains(text, []byte("EINTEGRITY")) {
			t.Fatalf("the registry has another uPlot under that version: %s", text)
		}
		t.Skipf("npm could not get uPlot here: %v: %s", err, text[max(0, len(text)-300):])
	}
	for _, name := range []string{"uplot.js", "uplot.css"} {
		want, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join("charts", name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("charts/%s is not what charts/bundle.sh makes: run it (%v)", name, err)
		}
		if !bytes.Contains(want, []byte("MIT License")) {
			t.Errorf("%s has no licence", name)
		}
	}
}
