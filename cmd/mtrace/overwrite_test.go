package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/cmd/mtrace/internal/cli"
)

// fileWriters are the commands that write a file or a folder, each with the path of the file that must not be replaced.
// OUT stands for the output's name, a folder if the command writes several files.
func fileWriters(t *testing.T) map[string]struct {
	args  []string
	file  string // in the folder OUT, if it is one
	whole bool   // the command ends with 0 when it may write
} {
	trace, err := filepath.Abs(smallTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := filepath.Abs("../../fixtures/xctrace/recording")
	if err != nil {
		t.Fatal(err)
	}
	claims := filepath.Join(t.TempDir(), "claims.json")
	if err := os.WriteFile(claims, []byte(`{"claims": [{"title": "it is", "expr": "gpu.busy_share > 0"}]}`),
		0o644); err != nil {
		t.Fatal(err)
	}
	type writer = struct {
		args  []string
		file  string
		whole bool
	}
	return map[string]writer{
		"report --html":  {[]string{"report", "--html", "OUT", trace}, "", true},
		"report --json":  {[]string{"report", "--json=OUT", trace}, "", true},
		"export chrome":  {[]string{"export", trace, "--format", "chrome", "-o", "OUT"}, "", true},
		"export csv":     {[]string{"export", trace, "--format", "csv", "-o", "OUT"}, "calls.csv", true},
		"export parquet": {[]string{"export", trace, "--format", "parquet", "-o", "OUT"}, "calls.parquet", true},
		"pprof":          {[]string{"pprof", trace, "-o", "OUT"}, "wait.pb.gz", true},
		"pprof of one":   {[]string{"pprof", trace, "--type", "wait", "-o", "OUT"}, "", true},
		"check --junit":  {[]string{"check", trace, "--claims", claims, "--junit", "OUT"}, "", true},
		"diff --junit":   {[]string{"diff", "--fail-over", "99", "--junit", "OUT", trace, trace}, "", true},
		"diff --html":    {[]string{"diff", "--html", "OUT", trace, trace}, "", true},
		"repair":         {[]string{"repair", trace, "-o", "OUT"}, "", true},
		"run -o":         {[]string{"run", "--no-report", "-o", "OUT", "--", "true"}, "", true},
		"run --json":     {[]string{"run", "-o", "other.mtrace", "--json=OUT", "--", "true"}, "", true},
		"sweep --html":   {[]string{"sweep", "--threads", "1", "--html", "OUT", "--", "true", "{threads}"}, "", false},
		"sweep --plot":   {[]string{"sweep", "--threads", "1", "--plot", "OUT", "--", "true", "{threads}"}, "", false},
		"sweep -o": {[]string{"sweep", "--threads", "1", "-o", "OUT", "--", "true", "{threads}"},
			"1-threads-1.mtrace", false},
		"xctrace --pprof": {[]string{"xctrace", "--pprof", "OUT", recorded}, "gpu.pb.gz", true},
		"export --table": {[]string{"export", recorded, "--table", "metal-gpu-intervals", "--format", "csv", "-o",
			"OUT"}, "", true},
		"doctor --bundle": {[]string{"doctor", "--bundle", "OUT"}, "", false},
		"export two formats": {[]string{"export", trace, "--format", "chrome,jsonl", "-o", "OUT"},
			strings.TrimSuffix(filepath.Base(trace), ".mtrace") + ".jsonl", true},
		"report --html alone": {[]string{"report", trace, "--section", "verdict", "--html", "OUT"}, "", true},
	}
}

// TestNoCommandReplacesAFile: no command replaces a file without --force, and none follows a symbolic link, with or
// without it. `mtrace report --html`, export, pprof and check --junit overwrote any existing file, also through another
// user's link.
func TestNoCommandReplacesAFile(t *testing.T) {
	t.Parallel()
	const precious = "precious"
	for name, w := range fileWriters(t) {
		for _, kind := range []string{"file", "link", "dangling link"} {
			dir := t.TempDir()
			out, victim := filepath.Join(dir, "out.svg"), filepath.Join(dir, "victim")
			file := filepath.Join(out, w.file)
			args := make([]string, len(w.args))
			for i, arg := range w.args {
				args[i] = strings.ReplaceAll(arg, "OUT", out)
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			place := func() {
				switch kind {
				case "file":
					os.WriteFile(file, []byte(precious), 0o644)
					return
				case "link":
					os.WriteFile(victim, []byte(precious), 0o644)
				}
				if err := os.Symlink(victim, file); err != nil {
					t.Fatal(err)
				}
			}
			place()
			kept := file
			if kind != "file" {
				kept = victim
			}
			got := sh(t, dir, nil, tool.mtrace, args...)
			text, err := os.ReadFile(kept)
			if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "--force") || strings.Contains(got.stderr, "\n\n") ||
				kind != "dangling link" && (err != nil || string(text) != precious) || kind == "dangling link" && err == nil {
				t.Errorf("%s over a %s: %+v; it holds %.40q, %v", name, kind, got, text, err)
			}
			if parts, _ := filepath.Glob(filepath.Join(dir, "*"+cli.PartSuffix)); len(parts) > 0 {
				t.Errorf("%s over a %s left %q", name, kind, parts)
			}
			if !w.whole {
				continue
			}
			os.Remove(filepath.Join(dir, "other.mtrace"))
			got = sh(t, dir, nil, tool.mtrace, append([]string{args[0], "--force"}, args[1:]...)...)
			if got.exit != 0 {
				t.Errorf("%s --force over a %s: %+v", name, kind, got)
			}
			if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s --force left %v, %v", name, info, err)
			}
			text, err = os.ReadFile(kept)
			if kind == "link" && string(text) != precious || kind == "dangling link" && err == nil {
				t.Errorf("%s --force followed the %s: %.40q", name, kind, text)
			}
		}
	}
}

// TestUnfinishedFilesFollowNoLink: the file that becomes the result has an unpredictable name. `mtrace report --html x`
// wrote x.part through a link of that name.
func TestUnfinishedFilesFollowNoLink(t *testing.T) {
	t.Parallel()
	trace, err := filepath.Abs(smallTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	os.WriteFile(victim, []byte("precious"), 0o644)
	if err := os.Symlink(victim, filepath.Join(dir, "page.html"+cli.PartSuffix)); err != nil {
		t.Fatal(err)
	}
	got := sh(t, dir, nil, tool.mtrace, "report", "--html", "page.html", trace)
	if text, _ := os.ReadFile(victim); got.exit != 0 || string(text) != "precious" {
		t.Errorf("%+v; the victim holds %.40q", got, text)
	}
}

// TestPipeWithoutAReaderIsSaid: the tool waits for a pipe without a reader, and one line on standard error says so. It
// used to wait silently.
func TestPipeWithoutAReaderIsSaid(t *testing.T) {
	t.Parallel()
	trace, err := filepath.Abs(smallTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`"$MTRACE" run --no-report -o pipe -- true`, `"$MTRACE" report --html pipe "$TRACE"`,
		`"$MTRACE" export "$TRACE" --format jsonl -o pipe`,
	} {
		dir := t.TempDir()
		if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
			t.Fatal(err)
		}
		done := make(chan outcome, 1)
		go func() {
			done <- sh(t, dir, []string{"MTRACE=" + tool.mtrace, "TRACE=" + trace}, "sh", "-c", line+" 2>said")
		}()
		var said []byte
		for begin := time.Now(); !strings.Contains(string(said), "waiting for its reader") &&
			time.Since(begin) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
			said, _ = os.ReadFile(filepath.Join(dir, "said"))
		}
		text, err := os.ReadFile(filepath.Join(dir, "pipe"))
		got := <-done
		if err != nil || len(text) == 0 || got.exit != 0 ||
			strings.Count(string(said), "pipe is a pipe that nobody reads yet") != 1 {
			t.Errorf("%s: %+v, read %d bytes, %v; it said %q", line, got, len(text), err, said)
		}
	}
}
