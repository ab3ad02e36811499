package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/bundle/bundletest"
	"mtrace/cmd/mtrace/internal/doctor"
)

// good is evidence of a machine on which everything is as expected.
func good() *Evidence {
	e := &Evidence{OS: "linux"}
	for _, a := range answers {
		e.Doctor.Checks = append(e.Doctor.Checks, doctor.Check{ID: a.id, Status: doctor.OK, Text: "fine"})
	}
	type class struct {
		Role  string   `json:"role"`
		Chain []string `json:"chain"`
	}
	var classes []class
	for role, base := range bases {
		classes = append(classes, class{role, []string{"AGXSomething", base, "NSObject"}})
	}
	e.Doctor.Checks = append(e.Doctor.Checks, doctor.Check{ID: "classes", Status: doctor.Info,
		Data: map[string]any{"classes": classes}})
	r := Run{Name: "python", Untraced: Outcome{Out: "{}\n"}, Traced: Outcome{Out: "{}\n"}, Report: &report.Report{}}
	r.Said.CommandBuffers, r.Said.ResultRight = 2, true
	r.Said.Calls = append(r.Said.Calls, struct {
		Selector string `json:"selector"`
		Count    int64  `json:"count"`
	}{"commit", 2})
	r.Report.Calls = []report.Call{{Selector: "commit", Class: "AGXSomething", Count: 2}}
	r.Report.Threads = []report.Thread{{CommandBuffers: 2}}
	r.Report.GPU.SumNS = 1000
	r.Report.Source.SoftwareMetal = true
	e.Runs = []Run{r}
	return e
}

func differing(e *Evidence) []string {
	var ids []string
	for _, c := range compare(e) {
		if c.Differs {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// TestEveryExpectationCanFail: each thing that can be otherwise is named, and nothing else.
func TestEveryExpectationCanFail(t *testing.T) {
	if found := differing(good()); len(found) > 0 {
		t.Fatalf("of what is as expected %v differ", found)
	}
	run := func(change func(*Run)) func(*Evidence) { return func(e *Evidence) { change(&e.Runs[0]) } }
	cases := map[string]func(*Evidence){
		"crashes":                func(e *Evidence) { e.Crashes = []string{"mtrace-selftest.ips"} },
		"python/ran":             run(func(r *Run) { r.Problem = "no python3" }),
		"python/exit":            run(func(r *Run) { r.Traced.Exit = 1 }),
		"python/result":          run(func(r *Run) { r.Said.ResultRight = false }),
		"python/output":          run(func(r *Run) { r.Traced.Out += "mtrace was here\n" }),
		"python/calls":           run(func(r *Run) { r.Report.Calls[0].Count = 4 }),
		"python/lost":            run(func(r *Run) { r.Report.Lost.Total = 1 }),
		"python/command-buffers": run(func(r *Run) { r.Report.GPU.SumNS = 0 }),
		"python/warnings":        run(func(r *Run) { r.Report.Warnings = []string{"something"} }),
		"python/metal":           run(func(r *Run) { r.Report.Source.SoftwareMetal = false }),
	}
	for i, a := range answers {
		cases["doctor/"+a.id] = func(e *Evidence) { e.Doctor.Checks[i].Status = doctor.Warn }
	}
	for id, change := range cases {
		e := good()
		change(e)
		found := differing(e)
		if len(found) != 1 || found[0] != id {
			t.Errorf("%s: %v differ", id, found)
		}
	}
	e := good()
	e.Doctor.Checks[len(e.Doctor.Checks)-1].Data = map[string]any{"classes": []string{}}
	if found := differing(e); len(found) != len(bases) {
		t.Errorf("without a table of classes %v differ", found)
	}
	for _, c := range compare(good()) {
		if c.Expected == "" || c.Found == "" {
			t.Errorf("%s says nothing: %+v", c.ID, c)
		}
	}
}

// TestMacExpectations: on a Mac the system's own tools are run, and a value that they do not print counts as a
// difference.
func TestMacExpectations(t *testing.T) {
	e := good()
	e.OS = "darwin"
	e.Runs[0].Report.Source.SoftwareMetal = false
	if found := differing(e); len(found) != len(macExpectations) {
		t.Errorf("without the answers of Apple's tools %v differ", found)
	}
	e.add("library/signature.txt", []byte("libmtrace.dylib: valid on disk\n"))
	e.add("library/fixups.txt", []byte("dyld_info -fixups libmtrace.dylib\n__DATA __interpose 0x1 bind "+
		"Metal/_MTLCreateSystemDefaultDevice\n"))
	for _, c := range []struct {
		answer  string
		differs int
	}{{"dyld_info: malformed mach-o\n", 2}, {"exec: \"dyld_info\": executable file not found in $PATH\n", 2}, {"", 1}} {
		// the other is interposing.txt
		e.add("library/malformations.txt", []byte("dyld_info -validate_only libmtrace.dylib\n"+c.answer))
		found := 0
		for _, id := range differing(e) {
			if id != "library/interposed-locks" {
				found++
			}
		}
		if found != c.differs {
			t.Errorf("of %q %d differ, want %d: %v", c.answer, found, c.differs, differing(e))
		}
	}
	e.add("library/interposing.txt", []byte("libmtrace.dylib has interposed 'MTLCreateSystemDefaultDevice' to …\nhas "+
		"interposed 'pthread_mutex_lock'\n"))
	if found := differing(e); len(found) > 0 {
		t.Errorf("%v differ", found)
	}
}

// TestPrivateNamesStayHere: no file of the archive has them, nor the list of checks.
func TestPrivateNamesStayHere(t *testing.T) {
	t.Setenv("HOME", "/Users/annabelle")
	e := good()
	e.Runs[0].Problem = "/Users/annabelle/bin/python3 is not there"
	e.add("crashes/python.ips", []byte("path: /Users/annabelle/project/x.py\n"))
	var archive bytes.Buffer
	checks, err := e.Write(&archive, doctor.ThisUser(), time.Unix(1e9, 0))
	if err != nil {
		t.Fatal(err)
	}
	if Differing(checks) != 1 || !checks[0].Differs || strings.Contains(Text(checks), "annabelle") ||
		!strings.HasPrefix(Text(checks), "1 of ") {
		t.Errorf("%s", Text(checks))
	}
	files := bundletest.Unpack(t, &archive)
	for name, content := range files {
		if strings.Contains(content, "annabelle") {
			t.Errorf("%s has the user's name: %s", name, content)
		}
	}
	if !strings.Contains(files["crashes/python.ips"], "~/…/x.py") || files["differs.txt"] == "" ||
		files["checks.json"] == "" {
		t.Errorf("files: %v", files)
	}
}

// TestCrashReports: the bundle has the crash reports, written since begin, of our programs and of every program that
// had the library loaded.
func TestCrashReports(t *testing.T) {
	folder, begin := t.TempDir(), time.Now().Add(-time.Minute)
	for name, content := range map[string]string{
		"mtrace-selftest-1.ips": "{}", "python3-1.ips": "usedImages: libmtrace.dylib", "Safari-1.ips": "{}",
		"mtrace-old.ips":   "{}",
		"python3-long.ips": strings.Repeat("x", mostLog) + "libmtrace.dylib",
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if old := begin.Add(-time.Hour); name == "mtrace-old.ips" {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	e := &Evidence{}
	e.Crash([]string{folder, filepath.Join(folder, "none")}, begin)
	if got := strings.Join(e.Crashes, " "); got != "mtrace-selftest-1.ips python3-1.ips python3-long.ips" {
		t.Errorf("crash reports: %s", got)
	}
	if n := len(e.files["crashes/python3-long.ips"]); n != mostLog {
		t.Errorf("%d bytes of a long one", n)
	}
}

// TestCrashReportsAreNoLinks: links out of the folder of crash reports are not read.
func TestCrashReportsAreNoLinks(t *testing.T) {
	folder, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("libmtrace secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(folder, "mtrace.crash")); err != nil {
		t.Fatal(err)
	}
	e := good()
	e.Crash([]string{folder}, time.Unix(0, 0))
	if len(e.Crashes) > 0 {
		t.Errorf("it has %q", e.Crashes)
	}
	if text, err := readReport(filepath.Join(folder, "mtrace.crash")); err == nil {
		t.Errorf("a link was followed: %q", text)
	}
}
