package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/fixtures/schema"
)

// root is the folder of the repository.
const root = "../.."

// A workloadResult is what fixtures/workload.py prints.
type workloadResult struct {
	Schema     string  `json:"schema"`
	Op         string  `json:"op"`
	Size       int     `json:"size"`
	DType      string  `json:"dtype"`
	Threads    int     `json:"threads"`
	Iterations int     `json:"iters"` // of each thread
	Warmup     int     `json:"warmup"`
	SyncMode   string  `json:"sync_mode"`
	Queues     string  `json:"queues"`
	Backend    string  `json:"backend"`
	Device     string  `json:"device"`
	Software   bool    `json:"software_metal"`
	Operations int     `json:"operations"`
	ElapsedNS  int64   `json:"elapsed_ns"`
	Rate       float64 `json:"ops_per_s"`
	Checked    bool    `json:"checked"`
}

// The published schemas match the documents that are written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare(root, "mtrace.version/1", "What `mtrace version --json` says.", versions{},
		*update); err != nil {
		t.Error(err)
	}
	if err := schema.Compare(root, "mtrace.workload/1", "What `fixtures/workload.py --json` says of its run.",
		workloadResult{}, *update); err != nil {
		t.Error(err)
	}
}

// A recorded run for the commands whose documents are validated.
type recorded struct {
	dir   string
	trace string // the file
	said  string // what the program printed
}

// recordWorkload records a short run of the workload.
func recordWorkload(t *testing.T) recorded {
	t.Helper()
	r := recorded{dir: t.TempDir()}
	r.trace = filepath.Join(r.dir, "t.mtrace")
	got := sh(t, "", nil, tool.mtrace, append([]string{"run", "--no-report", "-o", r.trace, "--"},
		smallWorkload(t, "2")...)...)
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	r.said = got.stdout
	return r
}

func smallWorkload(t *testing.T, threads string) []string {
	return []string{"python3", workload(t), "--op", "matmul", "--size", "16", "--iters", "20", "--json", "--threads",
		threads}
}

// knownDocuments has a row for each document: the command that prints it by --json, if one does, and a function that
// makes real ones. nil means that a test next to its type makes them. A document may be one line of several.
var knownDocuments = []struct {
	name, command string
	make          func(*testing.T, recorded) []string
}{
	{"mtrace.version/1", "version", printed("version", "--json")},
	{"mtrace.report/1", "report", func(t *testing.T, r recorded) []string {
		return printed("report", "--json", r.trace)(t,
			r)
	}},
	{"mtrace.report/1", "run", reportOfRun},
	{"mtrace.diff/1", "diff", func(t *testing.T, r recorded) []string {
		return printed("diff", "--json", r.trace,
			r.trace)(t, r)
	}},
	{"mtrace.check/1", "check", func(t *testing.T, r recorded) []string {
		return printed("check", "--json", "--claims", root+"/fixtures/claims/workload.json", r.trace)(t, r)
	}},
	{"mtrace.claims/1", "", readFile(root + "/fixtures/claims/workload.json")},
	{"mtrace.scaling/1", "sweep", func(t *testing.T, r recorded) []string {
		return printed(append([]string{"sweep", "--json", "--threads", "1,2,3", "--"}, smallWorkload(t, "{threads}")...)...)(
			t, r)
	}},
	{"mtrace.xctrace/1", "xctrace", printed("xctrace", "--json", root+"/fixtures/xctrace/recording")},
	{"mtrace.doctor/1", "doctor", func(t *testing.T, r recorded) []string {
		buildSelfTest(t)
		return printed("doctor", "--json")(t, r)
	}},
	{"mtrace.bundle/1", "", checksOfBundle},
	{"mtrace.selftest/1", "", selfTestResult},
	{"mtrace.bench/1", "bench", func(t *testing.T, r recorded) []string {
		needRawmetal(t)
		return printed("bench", "--json", "--quick", "--iters", "8", "--threads", "1", "--shaders", shaders, "scaling")(t, r)
	}},
	{"mtrace.bench-claims/1", "", readFile(root + "/fixtures/claims/field-reports.json")},
	{"mtrace.events/1", "", func(t *testing.T, r recorded) []string {
		return oneOfEach(t, printed("export", "--format", "jsonl", "-o", "-", r.trace)(t, r)[0])
	}},
	{"mtrace.trace/1", "", func(t *testing.T, r recorded) []string {
		return oneOfEach(t,
			printed("tail", r.trace)(t, r)[0])
	}},
	{"mtrace.page/1", "", documentOfPage},
	{"mtrace.workload/1", "", func(_ *testing.T, r recorded) []string { return []string{r.said} }},
	{"mtrace.experiment/1", "experiment", resultOfExperiment},
	{"mtrace.relay/2", "", nil},      // encrypted: TestMessagesAreOfTheirSchemas of collector/relay
	{"mtrace.relay-note/1", "", nil}, // removed when the trace is complete: tested there, too
}

// Every document that the project writes or reads has a row, and so has every command that prints one. The story: the
// tables of a trace, the messages of a relay and the self-test's result had been forgotten.
func TestEveryDocumentIsValidated(t *testing.T) {
	names, err := schema.Names(root)
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]bool{}
	for _, d := range knownDocuments {
		delete(names, d.name)
		commands[d.command] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		t.Errorf("%s names %s, but no real document of it is validated: add its row to knownDocuments", names[name], name)
	}
	for _, c := range tree(cli.Stdio{}).Commands() {
		if c.Flags().Lookup("json") != nil && !commands[c.Name()] {
			t.Errorf("what mtrace %s --json prints is not validated: add its row to knownDocuments", c.Name())
		}
	}
}

// Every document is one of its published schema: programs read them by it.
func TestDocumentsAreOfTheirSchemas(t *testing.T) {
	t.Parallel()
	needTruth(t)
	r := recordWorkload(t)
	for _, d := range knownDocuments {
		if d.make == nil {
			continue
		}
		t.Run(strings.TrimSpace(d.name+" "+d.command), func(t *testing.T) {
			texts := d.make(t, r)
			if !strings.Contains(strings.Join(texts, ""), `"`+d.name+`"`) {
				t.Errorf("none of %d says that it is one of %s", len(texts), d.name)
			}
			for _, text := range texts {
				if err := schema.ValidateAs(root, d.name, []byte(text)); err != nil {
					t.Errorf("%.2000s\n%v", text, err)
				}
			}
		})
	}
}

// printed returns a command's output. Exit status 1, for an unexpected result, does not change the form.
func printed(args ...string) func(*testing.T, recorded) []string {
	return func(t *testing.T, r recorded) []string {
		t.Helper()
		got := sh(t, "", nil, tool.mtrace, args...)
		if got.exit > 1 || got.stdout == "" {
			t.Fatalf("%+v", got)
		}
		return []string{got.stdout}
	}
}

// resultOfExperiment is the result of a short experiment.
func resultOfExperiment(t *testing.T, _ recorded) []string {
	t.Helper()
	dir := t.TempDir()
	got := sh(t, dir, timedMetal, tool.mtrace, "experiment", "--target", "commit", "--json=result.json", "-o", "t.mtrace",
		"--", "python3", workload(t), "--no-check", "--iters", "4000", "--sync-mode", "device")
	text, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatalf("%v: %+v", err, got)
	}
	return []string{string(text)}
}

// oneOfEach is one line of each kind.
func oneOfEach(t *testing.T, text string) (lines []string) {
	t.Helper()
	kinds := map[string]bool{}
	for line := range strings.Lines(text) {
		if kind := kindOfLine(line); !kinds[kind] {
			kinds[kind] = true
			lines = append(lines, line)
		}
	}
	return lines
}

// kindOfLine is a line without its values.
func kindOfLine(line string) string {
	words := strings.Split(line, `"`)
	var keys []string
	for i := 1; i+1 < len(words); i += 2 {
		if strings.HasPrefix(words[i+1], ":") {
			keys = append(keys, words[i])
		}
	}
	return strings.Join(keys, " ")
}

func readFile(path string) func(*testing.T, recorded) []string {
	return func(t *testing.T, _ recorded) []string {
		t.Helper()
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return []string{string(text)}
	}
}

func reportOfRun(t *testing.T, r recorded) []string {
	path := filepath.Join(r.dir, "report.json")
	got := sh(t, r.dir, nil, tool.mtrace, append([]string{"run", "-o", "again.mtrace", "--json=" + path, "--"},
		smallWorkload(t, "1")...)...)
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	return readFile(path)(t, r)
}

func checksOfBundle(t *testing.T, r recorded) []string {
	buildSelfTest(t)
	path := filepath.Join(r.dir, "bundle.tar.gz")
	if got := sh(t, r.dir, nil, tool.mtrace, "doctor", "--bundle", path); got.exit > 1 {
		t.Fatalf("%+v", got)
	}
	return []string{unpacked(t, path)["checks.json"]}
}

// selfTestResult returns the output of the program that the doctor runs.
func selfTestResult(t *testing.T, r recorded) []string {
	buildSelfTest(t)
	got := sh(t, r.dir, nil, tool.mtrace, "run", "--no-report", "-o", "selftest.mtrace", "--",
		filepath.Join(tool.dir, "mtrace-selftest"))
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	return []string{got.stdout}
}

func documentOfPage(t *testing.T, r recorded) []string {
	path := filepath.Join(r.dir, "report.html")
	if got := sh(t, "", nil, tool.mtrace, "report", "--html", path, r.trace); got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	_, rest, _ := strings.Cut(readFile(path)(t, r)[0], `id="page-data">`)
	document, _, found := strings.Cut(rest, "</script>")
	if !found {
		t.Fatal("the page has no document")
	}
	return []string{document}
}
