package sqlite

import (
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// ask runs queries in SQLite itself, through the module of Python's standard library.
func ask(t *testing.T, path string, queries ...string) []string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("Python, which reads the database, is not installed")
	}
	cmd := exec.Command(python, append([]string{"-c", `import hashlib, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.create_function("digest", 1, lambda s: hashlib.sha256(s.encode()).hexdigest()[:16])
for query in sys.argv[2:]:
    print("|".join(",".join(str(v) for v in row) for row in db.execute(query)))`, path}, queries...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

// create makes a database with the tables that a function adds.
func create(t *testing.T, fill func(d *Database)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.sqlite")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	d := New(file)
	fill(d)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestValues: SQLite reads every number and text as it was written, also texts that do not fit into a page.
func TestValues(t *testing.T) {
	numbers := []int64{0, 1, 2, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769, 1<<23 - 1, 1 << 23, -1 << 23,
		-1<<23 - 1, 1<<31 - 1, 1 << 31, -1 << 31, 1<<47 - 1, 1 << 47, -1 << 47, -1<<47 - 1, math.MaxInt64, math.MinInt64}
	lengths := []int{0, 1, 56, 57, 126, 8000, pageSize - 60, pageSize - 40, pageSize - 35, pageSize,
		pageSize + 5000, 5*pageSize + 17}
	path := create(t, func(d *Database) {
		d.Table("empty", "CREATE TABLE empty(a)")
		n := d.Table("numbers", "CREATE TABLE numbers(i INTEGER, n INTEGER, none TEXT)")
		for i, x := range numbers {
			n.Int(int64(i))
			n.Int(x)
			n.Null()
			n.End()
		}
		s := d.Table("texts", "CREATE TABLE texts(t TEXT)")
		for _, length := range lengths {
			s.Text(strings.Repeat("ü", length/2) + strings.Repeat("x", length%2))
			s.End()
		}
		wide := d.Table("wide", "CREATE TABLE wide("+columns(200)+")")
		for i := range int64(200) {
			wide.Int(i * 1000)
		}
		wide.End()
		d.View("sums", "CREATE VIEW sums AS SELECT count(*) AS n FROM numbers")
	})
	got := ask(t, path, "PRAGMA integrity_check", "SELECT count(*) FROM empty", "SELECT n FROM numbers ORDER BY i",
		"SELECT length(CAST(t AS BLOB)), digest(t) FROM texts ORDER BY rowid", "SELECT n FROM sums",
		"SELECT count(*) FROM numbers WHERE none IS NULL", "SELECT c0, c127, c199 FROM wide")
	var ns, texts []string
	for _, n := range numbers {
		ns = append(ns, fmt.Sprint(n))
	}
	for _, length := range lengths {
		text := strings.Repeat("ü", length/2) + strings.Repeat("x", length%2)
		texts = append(texts, fmt.Sprintf("%d,%x", length, sha256.Sum256([]byte(text)))[:len(fmt.Sprint(length))+17])
	}
	want := []string{"ok", "0", strings.Join(ns, "|"), strings.Join(texts, "|"), fmt.Sprint(len(numbers)),
		fmt.Sprint(len(numbers)), "0,127000,199000"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("answer %d is %.300s, want %.300s", i, got[i], want[i])
		}
	}
}

func columns(count int) string {
	var list []string
	for i := range count {
		list = append(list, fmt.Sprintf("c%d INTEGER", i))
	}
	return strings.Join(list, ", ")
}

// TestManyPages: tables of several levels of pages, whose rows alternate, are complete and found by their keys.
func TestManyPages(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 25 MB")
	}
	const rows = 3000
	path := create(t, func(d *Database) {
		a, b := d.Table("a", "CREATE TABLE a(n INTEGER, t TEXT)"), d.Table("b", "CREATE TABLE b(n INTEGER)")
		for i := range int64(rows) {
			a.Int(i)
			a.Text(strings.Repeat("x", 8000))
			a.End()
			for range 20 {
				b.Int(i * i)
				b.End()
			}
		}
	})
	got := ask(t, path, "PRAGMA integrity_check", "SELECT count(*), sum(n), sum(length(t)) FROM a",
		"SELECT count(*), sum(n) FROM b",
		"SELECT n FROM a WHERE rowid IN (1, 1500, 3000)", "SELECT n FROM b WHERE rowid = 30001")
	want := []string{"ok", fmt.Sprintf("%d,%d,%d", rows, rows*(rows-1)/2, rows*8000),
		fmt.Sprintf("%d,%d", 20*rows, int64(20*8995500500)),
		"0|1499|2999", "2250000"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("answer %d is %s, want %s", i, got[i], want[i])
		}
	}
}

// TestLockedPage: the page that systems lock holds nothing.
func TestLockedPage(t *testing.T) {
	d := &Database{pages: lockedPage - 2}
	if a, b := d.next(), d.next(); a != lockedPage-1 || b != lockedPage+1 {
		t.Errorf("pages %d and %d follow %d", a, b, lockedPage-2)
	}
}

// TestDiskFull: an error of writing is reported.
func TestDiskFull(t *testing.T) {
	d := New(full{})
	x := d.Table("x", "CREATE TABLE x(t TEXT)")
	for range 10 {
		x.Text(strings.Repeat("x", 9000))
		x.End()
	}
	if err := d.Close(); err == nil || err.Error() != "no space" {
		t.Errorf("a full disk: %v", err)
	}
}

type full struct{}

func (full) WriteAt([]byte, int64) (int, error) { return 0, fmt.Errorf("no space") }
