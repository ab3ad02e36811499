package claims

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mtrace/analyze/report"
)

var update = flag.Bool("update", false, "write the golden files")

var reportKeys = KeysOf(reflect.TypeFor[report.Report]())

// document is a report with the figures of field report R2, and some for corner cases.
const document = `{
 "schema": "mtrace.report/1", "events": 1000, "warnings": ["one", "two"],
 "source": {"software_metal": true, "device": "M2", "window_ns": 2000000},
 "calls": [
  {"selector": "commandBuffer", "class": "A", "count": 10, "p50_ns": 620, "p95_ns": 900, "total_ns": 7000},
  {"selector": "commit", "class": "A", "count": 10, "p50_ns": 4000, "p95_ns": 90000, "total_ns": 50000},
  {"selector": "commit", "class": "B", "count": 4, "p50_ns": 5000, "p95_ns": 110000, "total_ns": 30000}],
 "threads": [], "gpu": {"busy_ns": 1800000, "busy_share": 0.9, "overlap": 1.25},
 "kernels": [{"name": "matmul", "gpu_ns": 4000, "dispatches": 2, "source": "measured"}, 
  {"name": "axpy", "gpu_ns": 1000, "dispatches": 0, "source": "estimated"}],
 "memory": {"bytes": 4194304, "allocations": 3, "reuse_share": null, 
  "by_storage_mode": {"shared": {"count": 2, "bytes": 1048576}, "private": {"count": 1, "bytes": 3145728}}},
 "compile": {"pipelines": 0, "hit_share": null},
 "serialization": {"verdict": "none", "causes": []}
}`

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		expr, tolerance string
		status          Status
		result, target  string // empty is not checked
		ratio           float64
	}{
		{expr: `gpu.busy_share >= 0.9`, status: Pass, result: "0.9", target: ">= 0.9", ratio: 1},
		{expr: `gpu.busy_share > 90%`, status: Fail},
		{expr: `gpu.busy_share > 95%`, tolerance: `"10%"`, status: Pass},
		{expr: `calls[selector="commandBuffer"].p50_ns < 100us`, status: Pass, result: "620 ns", target: "< 100 µs",
			ratio: 100000.0 / 620},
		{expr: `calls[selector='commandBuffer'].p50_ns < 100`, status: Fail}, // no unit: nanoseconds
		{expr: `calls[selector="commit"].p95_ns < 100us`, status: Fail, result: "110 µs (commit)"},
		{expr: `calls[selector="commit"].p95_ns < 100us`, tolerance: `"10us"`, status: Pass},
		{expr: `calls[selector="commit", class="A"].p95_ns < 100us`, status: Pass, result: "90.0 µs"},
		{expr: `max(calls[selector="commit"].p95_ns) <= 110us`, status: Pass, ratio: 1},
		{expr: `calls[selector~"command"].count == 10`, status: Pass},
		{expr: `calls[count<5].selector == "commit"`, status: Pass},
		{expr: `calls[p50_ns>=4us].class != "C"`, status: Pass},
		{expr: `sum(calls[selector="commit"].total_ns) / sum(calls[*].count) < 4us`, status: Pass, result: "3.33 µs"},
		{expr: `count(calls[selector="commit"]) == 2`, status: Pass},
		{expr: `count(threads) == 0`, status: Pass},
		{expr: `count(calls[selector="nothing"]) == 0 and events > 999`, status: Pass},
		{expr: `count(warnings) < 3`, status: Pass},
		{expr: `threads[*].lost_to_others_share < 0.1`, status: Skipped},
		{expr: `calls[selector="nothing"].p50_ns < 1us`, status: Skipped},
		{expr: `memory.reuse_share > 0.9`, status: Skipped},
		{expr: `memory.reuse_share > 0.9 or gpu.overlap > 1`, status: Pass},
		{expr: `memory.reuse_share > 0.9 and gpu.overlap > 2`, status: Fail},
		{expr: `memory.reuse_share > 0.9 and gpu.overlap > 1`, status: Skipped},
		{expr: `not (gpu.overlap > 2)`, status: Pass},
		{expr: `!(gpu.overlap > 1) || events == 1_000`, status: Pass},
		{expr: `serialization.verdict == "none"`, status: Pass, result: "none"},
		{expr: `serialization.verdict != "none"`, status: Fail},
		{expr: `source.software_metal == false`, status: Fail, result: "true"},
		{expr: `memory.bytes == 4MiB`, status: Pass, result: "4.00 MiB"},
		{expr: `memory.by_storage_mode.private.bytes / memory.bytes == 0.75`, status: Pass},
		{expr: `memory.by_storage_mode["shared"].bytes < 2 MiB`, status: Pass},
		{expr: `memory.by_storage_mode[*].bytes < 2 MiB`, status: Fail, result: "3.00 MiB (private)"},
		{expr: `memory.by_storage_mode.managed.bytes < 2 MiB`, status: Skipped},
		{expr: `memory.bytes / gpu.busy_ns > 2 GB / 1 s`, status: Pass, result: "2.33 GB/s"},
		{expr: `kernels[0].gpu_ns / kernels[0].dispatches < 3us`, status: Pass, result: "2.00 µs"},
		{expr: `kernels[1].gpu_ns / kernels[1].dispatches < 3us`, status: Skipped},
		{expr: `kernels[7].gpu_ns < 3us`, status: Skipped},
		{expr: `gpu.busy_ns * 2 - 1ms > 2ms`, status: Pass},
		{expr: `-gpu.overlap < 0`, status: Pass},
		{expr: `100us > calls[selector="commandBuffer"].p50_ns`, status: Pass},
		{expr: `gpu.overlap == 1.2`, tolerance: `0.05`, status: Pass},
		{expr: `gpu.overlap != 1.2`, tolerance: `"1%"`, status: Pass},
		{expr: `1e-3s == 1ms`, status: Pass},
	} {
		text, err := json.Marshal(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		claim := `{"claims":[{"expr":` + string(text)
		if c.tolerance != "" {
			claim += `,"tolerance":` + c.tolerance
		}
		f, err := ParseFile("c.json", []byte(claim+"}]}"), reportKeys)
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		d, err := f.Check([]byte(document), "report.json")
		if err != nil {
			t.Errorf("%s: %v", c.expr, err)
			continue
		}
		r := d.Results[0]
		if r.Status != c.status {
			t.Errorf("%s: %s, want %s: %+v", c.expr, r.Status, c.status, r)
		}
		if c.result != "" && r.Result != c.result || c.target != "" && r.Target != c.target {
			t.Errorf("%s: result %q target %q, want %q and %q", c.expr, r.Result, r.Target, c.result, c.target)
		}
		if c.ratio != 0 && (r.Ratio == nil || *r.Ratio < 0.999*c.ratio || *r.Ratio > 1.001*c.ratio) {
			t.Errorf("%s: ratio %v, want %v", c.expr, r.Ratio, c.ratio)
		}
		if (r.Status == Skipped) != (r.Reason != "") {
			t.Errorf("%s: %s because of %q", c.expr, r.Status, r.Reason)
		}
	}
}

// An error in an expression is reported with its column.
func TestSyntax(t *testing.T) {
	for expr, want := range map[string]string{
		``:               "column 1: expected a number",
		`gpu.busy_share`: "column 1: this is a value, not a claim",
		`gpu.busy_share >`: "column 17: expected a number, a text, a key or a parenthesis, found " +
			"the end",
		`gpu.busy_share = 1`:  "column 16: use ==",
		`gpu.bussy_share > 1`: `column 5: no key "bussy_share" in gpu: there are busy_ns`,
		`gqu.busy_share > 1`:  `column 1: no key "gqu" in the document`,
		`calls.p50_ns < 1us`: `calls is a list: take all of it with [*], or some with a filter as ` +
			`in calls[selector=`,
		`calls[sel="x"].p50_ns < 1us`:            `column 7: no key "sel"`,
		`gpu[0].busy_ns < 1us`:                   "gpu is not a list",
		`gpu.busy_ns.x < 1us`:                    `busy_ns is a value and has no key "x"`,
		`gpu < 1`:                                "this path ends at gpu, which is an object and not a value",
		`gpu.busy_ns < 1MB`:                      "a time < a size",
		`gpu.busy_ns + memory.bytes > 1`:         "a time + a size",
		`gpu.busy_ns < 5parsec`:                  `column 15: unknown unit "parsec"`,
		`serialization.verdict < "none"`:         "needs numbers on both sides",
		`serialization.verdict + 1 > 2`:          "needs numbers on both sides",
		`"a" == 1 + 2`:                           "needs numbers on both sides",
		`gpu.overlap > 1 > 2`:                    "expected an operator or the end",
		`(gpu.overlap > 1`:                       `expected ")", found the end`,
		`gpu.overlap > 1)`:                       "expected an operator or the end",
		`gpu.overlap and gpu.overlap > 1`:        "and joins comparisons",
		`median(calls[*].p50_ns) < 1us`:          `unknown function "median": there are count, max, mean, min, sum`,
		`sum(serialization.verdict) > 1`:         "sum takes numbers",
		`max(gpu.busy_ns, memory.bytes) > 1`:     "max of a time and a size",
		`calls[selector="x].p50_ns < 1`:          "its closing quote is missing",
		`calls[selector<"x"].p50_ns < 1`:         "< does not compare that",
		`gpu.overlap > 1 # comment`:              "column 17: unexpected character '#'",
		`calls[1.5].p50_ns > 1`:                  "expected the number of an element",
		`not gpu.overlap`:                        "only a comparison can be negated",
		"gpu.overlap > \xff":                     "not UTF-8",
		strings.Repeat("(", 200) + `1 < 2`:       "nests too deep",
		`gpu.overlap > 1e999`:                    "is not a number",
		`-serialization.verdict == "none"`:       "only a number has a negative",
		`gpu.overlap > 1 or serialization.share`: "or joins comparisons",
		`events / (1 - 1) > 2`:                   "column 8: a division by zero",
		// Finding the column of each token from the beginning, and evaluating one level for each operator, made this
		// hang, and then overflowed the stack.
		`events > ` + strings.Repeat("1+", 500_000) + `1`: "column 1: the expression has 1000010 bytes",
	} {
		_, err := Parse(expr, reportKeys)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", expr, err, want)
		}
	}
}

// A claims file that cannot be used is refused with its line: half of its claims checked would look like all of them.
func TestBadFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":          {"", "c.json:1: not JSON: unexpected end"},
		"not JSON":       {"\n\nhello", "c.json:3: not JSON"},
		"a list":         {"[]", "c.json:1: a file of claims is an object"},
		"no claims":      {"{}", "c.json:1: there are no claims"},
		"an empty list":  {`{"claims": []}`, "there are no claims"},
		"no list":        {`{"claims": {}}`, "claims must be a list"},
		"an unknown key": {"{\n\"claim\": []}", "c.json:2: unknown key claim"},
		"another schema": {`{"schema": "mtrace.report/1"}`, `its schema is "mtrace.report/1"`},
		"no expr":        {"{\"claims\": [\n{\"id\": \"#1\"}]}", "c.json:2: claim 1 (#1): the claim has no expr"},
		"a bad expr": {"{\"claims\": [\n{\"expr\": \"events > 1\"},\n\n{\"title\": \"two\", \"expr\": \"events " +
			">\"}\n]}", "c.json:4: claim 2 (two): expr: column 9"},
		"a misspelt key": {"{\"claims\": [\n{\"expression\": \"events > 1\"}]}",
			`c.json:2: claim 1: unknown field "expression"`},
		"a wrong type": {"{\"claims\": [\n{\"expr\": 1}]}", "c.json:2: claim 1: expr is a text, not a number"},
		"no object": {"{\"claims\": [\n7]}",
			"c.json:2: claim 1: a claim is an object such as {\"expr\": …}, not a number"},
		"too much": {"{\"claims\": [\n{\"expr\": \"events > 1\", \"tolerance\": 5}]}",
			"c.json:2: claim 1: tolerance 5: a number without a unit is a share of the target"},
		"a key twice": {"{\"claims\": [\n{\"expr\": \"events > 1\", \"Expr\": \"events > 2\"}]}",
			"c.json:2: claim 1: Expr is there twice"},
		"claims twice": {"{\"claims\": [{\"expr\": \"events > 1\"}],\n\"claims\": []}",
			"c.json:2: claims is there twice"},
		"an id twice": {"{\"claims\": [{\"id\": \"a\", \"expr\": \"events > 1\"},\n{\"id\": \"a\", \"expr\": " +
			"\"events > 2\"}]}", "c.json:2: claim 2 (a): claim 1 has the same id"},
		"UTF-16":          {"\xff\xfe{\x00}\x00", "c.json:1: the file is encoded as UTF-16"},
		"UTF-16 unmarked": {"{\x00}\x00", "c.json:1: the file is encoded as UTF-16"},
		"deep":            {strings.Repeat("[", 200_000), "c.json:1: not JSON"},
		"control": {"{\"claims\": [{\"title\": \"\\u001b[2J\\n\", \"expr\": \"\"}]}",
			"c.json:1: claim 1 (\uFFFD[2J ): the claim has no expr"},
		"a bad tolerance": {"{\"claims\": [\n{\"expr\": \"events > 1\", \"tolerance\": \"much\"}]}",
			`c.json:2: claim 1: tolerance "much"`},
		"a wrong dimension": {"{\"claims\": [\n{\"expr\": \"events > 1\", \"tolerance\": \"1us\"}]}",
			"c.json:2: claim 1: tolerance 1us is a time"},
		"cut":            {"{\"claims\": [\n{\"expr\": \"events > 1\"}", "c.json:2: not JSON: unexpected end"},
		"cut in a claim": {"{\"claims\": [\n{\"expr\": \"eve", "c.json:2: not JSON: unexpected end"},
		"more behind": {"{\"claims\": [{\"expr\": \"events > 1\"}]}\n{}",
			"c.json:2: not JSON: invalid character '{' after top-level value"},
	} {
		_, err := ParseFile("c.json", []byte(c.text), reportKeys)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// Some editors put a byte order mark before UTF-8, and a tolerance may be null: both mean nothing.
func TestUnusualFiles(t *testing.T) {
	f, err := ParseFile("c.json", []byte("\xef\xbb\xbf{\"claims\": [\n{\"expr\": \"events == 1000\", \"tolerance\": "+
		"null, \"title\": \"\\u001b[2J\\nx\"}]}"), reportKeys)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Check([]byte(document), "r")
	if err != nil || d.Passed != 1 || d.Results[0].Tolerance != "" {
		t.Fatalf("%v: %+v", err, d)
	}
	var text bytes.Buffer
	if err := d.WriteText(&text); err != nil || strings.Contains(text.String(), "\x1b") ||
		strings.Count(text.String(), "\n") != 5 || !strings.HasPrefix(text.String(), "SOFTWARE METAL") {
		t.Errorf("a title steers the terminal, or breaks its line: %v, %q", err, text.String())
	}
}

// Claims that a look at the data shows to be undecidable are refused too, not counted as failed.
func TestUndecidable(t *testing.T) {
	f, err := ParseFile("c.json", []byte("{\"claims\": [\n{\"expr\": \"calls[*].p50_ns < calls[*].p95_ns\"}]}"),
		reportKeys)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check([]byte(document), "r"); err == nil ||
		!strings.Contains(err.Error(), "c.json:2: claim 1: both sides have several values") {
		t.Error(err)
	}
	if _, err := f.Check([]byte("no"), "r"); err == nil {
		t.Error("a document that is not JSON was checked")
	}
}

// Documents of other schemas have unknown keys: a claim on a missing key is skipped, and the key named.
func TestOtherDocuments(t *testing.T) {
	f, err := ParseFile("c.json", []byte(`{"claims": [{"expr": "series[0].rows[threads=8].efficiency > 0.5"}, `+
		`{"expr": "series[0].rows[threads=9].efficiency > 0.5"},
		{"expr": "series[*].rows.ops_per_s > 1000/1s"}, {"expr": "series[0].rows[*].ops_per_s > 1/1ms"}]}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Check([]byte(`{"series": [{"rows": [{"threads": 4, "efficiency": 0.9, "ops_per_s": 2000}, `+
		`{"threads": 8, "efficiency": 0.6, "ops_per_s": 2500}]}]}`), "scaling.json")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Status{Pass, Skipped, Skipped, Pass} {
		if d.Results[i].Status != want {
			t.Errorf("%+v, want %s", d.Results[i], want)
		}
	}
}

// A recording of Instruments has no waits, locks and losses. Claims about them passed, because their keys contain
// zeros.
func TestInstrumentsDoesNotTell(t *testing.T) {
	const document = `{"source": {"kind": "%s"}, "events": 0, "lost": {"total": 0}, "calls": [], ` +
		`"memory": {"peak_bytes": 0, "reuse_share": null}, "compile": {"lost_ns": 5},
		"gpu": {"busy_share": 0.5}, "threads": [{"lost_to_others_share": 0, "command_buffers": 3, ` +
		`"time": {"encode_ns": 4, "lock_ns": 0}}],
		"serialization": {"verdict": "%s", "causes": []}}`
	for _, c := range []struct {
		expr                           string
		told, instruments, saturatedBy Status
	}{
		{"threads[*].lost_to_others_share < 0.1", Pass, Skipped, Skipped},
		{"threads[*].time.lock_ns == 0", Pass, Skipped, Skipped},
		{"lost.total == 0", Pass, Skipped, Skipped},
		{"memory.peak_bytes < 1GB", Pass, Skipped, Skipped},
		{"serialization.verdict != \"lock-contention\"", Pass, Skipped, Pass},
		{"threads[*].time.encode_ns < 1ms", Pass, Pass, Pass},
		{"threads[*].command_buffers == 3", Pass, Pass, Pass},
		{"compile.lost_ns > 1ms", Fail, Fail, Fail},
		{"gpu.busy_share > 0.9", Fail, Fail, Fail},
	} {
		expr, _ := json.Marshal(c.expr)
		f, err := ParseFile("c.json", []byte(fmt.Sprintf(`{"claims": [{"expr": %s}]}`, expr)), reportKeys)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []struct {
			kind, verdict string
			want          Status
		}{{"mtrace", "none", c.told}, {"xctrace", "none", c.instruments}, {"xctrace", "gpu-saturated", c.saturatedBy}} {
			d, err := f.Check([]byte(fmt.Sprintf(document, of.kind, of.verdict)), "r.json")
			if err != nil {
				t.Fatal(err)
			}
			if d.Results[0].Status != of.want {
				t.Errorf("%s of %s, %s: %+v, want %s", c.expr, of.kind, of.verdict, d.Results[0], of.want)
			}
		}
	}
}

func TestGolden(t *testing.T) {
	path := filepath.Join("testdata", "r2.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := ParseFile("r2.json", text, reportKeys)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Check([]byte(document), "report.json")
	if err != nil {
		t.Fatal(err)
	}
	var table, junit bytes.Buffer
	if err := d.WriteText(&table); err != nil {
		t.Fatal(err)
	}
	if err := d.Gate().WriteJUnit(&junit); err != nil {
		t.Fatal(err)
	}
	js, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string][]byte{"r2.txt": table.Bytes(), "r2.xml": junit.Bytes(),
		"r2.check.json": append(js, '\n')} {
		golden := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s (%v): go test -update writes it anew; got\n%s", golden, err, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`gpu.busy_share > 0.9`, `calls[selector="commit",class~'A'].p95_ns < 100us`,
		`not (sum(threads[*].gpu_ns) / 2 >= 1e3ms) or events != 3`,
		`memory.by_storage_mode["a\"b"].bytes == 5%`, `-1 < -(2 * -3)`, `calls[`, `"`, `1e+`, `µs`} {
		f.Add(s)
	}
	var doc any
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, keys := range []*Keys{reportKeys, nil} {
			e, err := Parse(s, keys)
			if err != nil {
				if strings.ContainsAny(err.Error(), "\n") && !strings.Contains(s, "\n") {
					t.Errorf("the error has more than one line: %q", err)
				}
				continue
			}
			o, err := e.root.evaluate(doc, Tolerance{share: 0.1})
			if err == nil && o.isComparison {
				o.result.show(o.dim)
				ratio(o)
			}
		}
	})
}

func FuzzParseFile(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range seeds {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"claims":[{"expr":"1<2","tolerance":"1us"}]}`))
	f.Add([]byte(`{"claims":[{"expr":"1<2","tolerance":-1}]} x`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ParseFile("f", data, reportKeys)
		if err != nil {
			return
		}
		if d, err := file.Check([]byte(document), "r"); err == nil {
			if d.Passed+d.Failed+d.Skipped != len(file.Claims) {
				t.Errorf("%d claims, %+v", len(file.Claims), d)
			}
			if _, err := json.Marshal(d); err != nil {
				t.Error(err)
			}
		}
	})
}
