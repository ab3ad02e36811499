// Package python tests the Python package of this folder.
package python

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mtrace/fixtures/consumers"
	"mtrace/fixtures/realpython"
	"mtrace/fixtures/testtool"
)

func TestMain(m *testing.M) {
	realpython.Prefer()
	os.Exit(m.Run())
}

// commandLimit is how long a command may take.
const commandLimit = 10 * time.Minute

// output runs a command in dir and returns what it prints on both streams.
func output(dir string, env []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, 10*time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}

// A python is an environment into which the package is installed.
type python struct {
	t    *testing.T
	dir  string
	path string // of the interpreter
	env  []string
}

// newPython makes an environment that contains nothing but pip.
func newPython(t *testing.T) *python {
	t.Helper()
	dir := t.TempDir()
	environment := filepath.Join(dir, "environment")
	if out, err := output(dir, nil, "python3", "-m", "venv", environment); err != nil {
		t.Skipf("Python cannot make an environment (apt-get install python3-venv): %s", out)
	}
	return &python{t: t, dir: dir, path: filepath.Join(environment, "bin", "python3"),
		env: append(os.Environ(), "PIP_DISABLE_PIP_VERSION_CHECK=1", "PYTHONDONTWRITEBYTECODE=1",
			"WORKLOAD="+absolute(t, "../../fixtures/workload.py"), "IPYTHONDIR="+dir)}
}

// must runs a command of the test and returns what it prints.
func (p *python) must(dir, name string, args ...string) string {
	p.t.Helper()
	out, err := output(dir, p.env, name, args...)
	if err != nil {
		p.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return out
}

// script runs a script of the folder test.
func (p *python) script(name string, args ...string) string {
	p.t.Helper()
	return p.must(p.dir, p.path, append([]string{absolute(p.t, filepath.Join("test", name))}, args...)...)
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPythonPackage: pip installs the wheel that pack.py makes into an environment of its own, where it does what its
// page describes; with pandas, Polars and DuckDB if they can be installed. The queries of docs/sql have equal answers
// in DuckDB, DataFusion, ClickHouse and Spark, and the notebook runs to its end.
func TestPythonPackage(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the programs of this test need the software Metal, which is for Linux")
	}
	tool := t.TempDir()
	if err := testtool.Build(tool); err != nil {
		t.Fatal(err)
	}
	if err := testtool.BuildPrograms(tool); err != nil {
		t.Fatal(err)
	}
	mtrace, workload, docs := filepath.Join(tool, "mtrace"), absolute(t, "../../fixtures/workload.py"),
		absolute(t, "../../docs")
	p := newPython(t)
	wheel := p.must(".", "python3", "pack.py", tool, filepath.Join(p.dir, "dist"), "1.2.3")
	p.must(p.dir, p.path, "-m", "pip", "install", "--quiet", "--no-index", wheel)
	if said := p.must(p.dir, p.path, "-m", "pip", "show", "mtrace"); !strings.Contains(said, "Version: 1.2.3") ||
		!strings.Contains(said, "Summary: Traces programs") {
		t.Errorf("pip says of it\n%s", said)
	}
	p.script("package.py", workload)
	p.script("traced.py", workload)

	others, err := openShared()
	if err != nil {
		t.Fatal(err)
	}
	defer others.close()
	if err := others.install("pyarrow", "pandas", "polars", "duckdb"); err != nil {
		t.Skipf("pandas, Polars and DuckDB cannot be had here: %v", err)
	}
	p.sees(others)
	spark := t.Run("Spark", func(t *testing.T) {
		p.env = append(p.env, "PYTHONPATH="+consumers.Spark(t), "SPARK_LOCAL_IP=127.0.0.1")
	}) && strings.HasPrefix(p.env[len(p.env)-1], "SPARK_")
	t.Log(p.script("package.py", workload, "tables"))

	trace, tables := filepath.Join(p.dir, "t.mtrace"), filepath.Join(p.dir, "tables")
	p.must(p.dir, mtrace, "run", "--no-report", "-o", trace, "--", "python3", workload, "--op", "axpy", "--size", "1024",
		"--dtype", "float32", "--threads", "2", "--iters", "20", "--sync-mode", "device")
	p.must(p.dir, mtrace, "export", "--format", "parquet", "-o", tables, trace)
	for _, other := range []string{"datafusion", "chdb"} {
		if err := others.install(other); err != nil {
			t.Logf("%s cannot be had here: %v", other, err)
		}
	}
	asked := p.script("sql.py", tables, filepath.Join(docs, "sql"))
	t.Log(asked)
	if spark && !strings.HasSuffix(asked, "Spark") {
		t.Errorf("Spark was not asked: %s", asked)
	}

	t.Run("Perfetto", func(t *testing.T) {
		// Perfetto's trace processor is in no package registry; the package that it publishes has its protobuf
		// definitions
		if err := others.install("perfetto==0.59.1"); err != nil {
			t.Skipf("Perfetto's package cannot be had here: %v", err)
		}
		timeline := filepath.Join(p.dir, "timeline.pftrace")
		p.must(p.dir, mtrace, "export", "--format", "perfetto", "-o", timeline, trace)
		t.Log(p.script("perfetto_schema.py", timeline, filepath.Join(tables, "calls.parquet")))
	})

	t.Run("notebook", func(t *testing.T) {
		if err := others.install("nbclient", "ipykernel"); err != nil {
			t.Skipf("what executes notebooks cannot be had here: %v", err)
		}
		if said := p.script("notebook.py", filepath.Join(docs, "notebook.ipynb")); !strings.Contains(said, "VERDICT") ||
			!strings.Contains(said, "queued_us") {
			t.Errorf("the notebook says\n%s", said)
		}
	})
}
