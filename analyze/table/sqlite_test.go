package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/docs"
)

// TestSQLite: the database has the rows of the JSON lines, all of them, and the queries of docs/sql answer as views.
func TestSQLite(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("Python, whose standard library has SQLite, is not installed")
	}
	write := func(w *Writer) {
		t.Helper()
		trace, err := analyze.Load("../../fixtures/traces/device-sync.mtrace", analyze.Options{Visit: w.Call})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Whole(trace); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "t.sqlite")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	write(NewSQLite(file))
	var lines bytes.Buffer
	write(NewJSONLines(&lines))
	// Each row as JSON, without null values, in the order of the file: tables are compared line by line.
	out, err := exec.Command(python, "-c", `import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("PRAGMA integrity_check").fetchone()[0])
for view in sys.argv[2:]:
    db.execute("SELECT * FROM " + view).fetchall()
names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'trace' ORDER BY rowid"
for table, in db.execute(names).fetchall():
    rows = db.execute("SELECT * FROM " + table)
    names = [d[0] for d in rows.description]
    for row in rows:
        known = {n: v for n, v in zip(names, row) if v is not None}
        print(json.dumps({"table": table} | known, ensure_ascii=False, sort_keys=True))`,
		path, "time_by_call", "failed_command_buffers", "dispatches_by_kernel", "delay_by_queue", "time_by_thread",
		"who_waits_for_whom").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if got[0] != "ok" || len(docs.Queries()) != len(viewNames) {
		t.Errorf("SQLite says %q; %d queries, %d views", got[0], len(docs.Queries()), len(viewNames))
	}
	count := map[string]int{}
	for _, line := range got[1:] {
		count[canonical(t, line)]++
	}
	compared := 0
	for line := range strings.Lines(lines.String()) {
		if strings.HasPrefix(line, `{"table":"trace"`) {
			continue
		}
		compared++
		if key := canonical(t, line); count[key] == 0 {
			t.Fatalf("the database lacks %s", key)
		} else {
			count[key]--
		}
	}
	if compared != len(got)-1 || compared < 10_000 {
		t.Errorf("%d rows, the JSON lines have %d", len(got)-1, compared)
	}
}

// canonical is a row with its columns in order, and numbers in place of true and false.
func canonical(t *testing.T, line string) string {
	t.Helper()
	row := map[string]any{}
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	if err := d.Decode(&row); err != nil {
		t.Fatal(err)
	}
	for name, v := range row {
		switch v {
		case true:
			row[name] = json.Number("1")
		case false:
			row[name] = json.Number("0")
		}
	}
	return fmt.Sprint(row)
}
