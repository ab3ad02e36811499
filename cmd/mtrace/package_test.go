package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/fixtures/consumers"
)

// TestPythonPackage: pip installs the wheel that pack.py makes into an environment of its own, where it does what its
// page describes; with pandas, Polars and DuckDB if they can be installed. The queries of docs/sql have equal answers
// in DuckDB, DataFusion, ClickHouse and Spark, and the notebook runs to its end.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	needTruth(t)
	needRawmetal(t)
	buildSelfTest(t)
	dir := t.TempDir()
	environment := filepath.Join(dir, "environment")
	if out, err := saidBy(exec.Command("python3", "-m", "venv", environment), commandLimit); err != nil {
		t.Skipf("Python cannot make an environment (apt-get install python3-venv): %s", strings.TrimSpace(string(out)))
	}
	python := filepath.Join(environment, "bin", "python3")
	env := append(os.Environ(), "PIP_DISABLE_PIP_VERSION_CHECK=1", "PYTHONDONTWRITEBYTECODE=1", "WORKLOAD="+workload(t),
		"IPYTHONDIR="+dir)
	must := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		cmd.Env = env
		out, err := saidBy(cmd, commandLimit)
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	wheel := must(".", "python3", "../python/pack.py", tool.dir, filepath.Join(dir, "dist"), "1.2.3")
	must(dir, python, "-m", "pip", "install", "--quiet", "--no-index", wheel)
	if said := must(dir, python, "-m", "pip", "show", "mtrace"); !strings.Contains(said, "Version: 1.2.3") ||
		!strings.Contains(said, "Summary: Traces programs") {
		t.Errorf("pip says of it\n%s", said)
	}
	test, err := filepath.Abs("../python/test/package.py")
	if err != nil {
		t.Fatal(err)
	}
	must(dir, python, test, workload(t))
	must(dir, python, filepath.Join(filepath.Dir(test), "traced.py"), workload(t))

	install := func(packages ...string) error {
		args := append([]string{"-m", "pip", "install", "--quiet", "--retries", "0", "--timeout", "10"}, packages...)
		if out, err := saidBy(exec.Command(python, args...), commandLimit); err != nil {
			return errors.New(cli.LastLine(string(out)))
		}
		return nil
	}
	if err := install("pyarrow", "pandas", "polars", "duckdb"); err != nil {
		t.Skipf("pandas, Polars and DuckDB cannot be had here: %v", err)
	}
	spark := t.Run("Spark", func(t *testing.T) {
		env = append(env, "PYTHONPATH="+consumers.Spark(t), "SPARK_LOCAL_IP=127.0.0.1")
	}) && strings.HasPrefix(env[len(env)-1], "SPARK_")
	t.Log(must(dir, python, test, workload(t), "tables"))

	trace, tables := smallTrace(t), filepath.Join(dir, "tables")
	must(dir, tool.mtrace, "export", "--format", "parquet", "-o", tables, trace)
	for _, other := range []string{"datafusion", "chdb"} {
		if err := install(other); err != nil {
			t.Logf("%s cannot be had here: %v", other, err)
		}
	}
	docs, err := filepath.Abs("../../docs")
	if err != nil {
		t.Fatal(err)
	}
	asked := must(dir, python, filepath.Join(filepath.Dir(test), "sql.py"), tables, filepath.Join(docs, "sql"))
	t.Log(asked)
	if spark && !strings.HasSuffix(asked, "Spark") {
		t.Errorf("Spark was not asked: %s", asked)
	}

	t.Run("Perfetto", func(t *testing.T) {
		// Perfetto's trace processor is in no package registry; the package that it publishes has its protobuf
		// definitions
		if err := install("perfetto==0.59.1"); err != nil {
			t.Skipf("Perfetto's package cannot be had here: %v", err)
		}
		timeline := filepath.Join(dir, "timeline.pftrace")
		must(dir, tool.mtrace, "export", "--format", "perfetto", "-o", timeline, trace)
		t.Log(must(dir, python, filepath.Join(filepath.Dir(test), "perfetto_schema.py"), timeline,
			filepath.Join(tables, "calls.parquet")))
	})

	t.Run("notebook", func(t *testing.T) {
		if err := install("nbclient", "ipykernel"); err != nil {
			t.Skipf("what executes notebooks cannot be had here: %v", err)
		}
		if said := must(dir, python, filepath.Join(filepath.Dir(test), "notebook.py"),
			filepath.Join(docs, "notebook.ipynb")); !strings.Contains(said, "VERDICT") || !strings.Contains(said, "queued_us") {
			t.Errorf("the notebook says\n%s", said)
		}
	})
}
