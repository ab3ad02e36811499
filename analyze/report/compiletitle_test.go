package report

import "testing"

// The rows of compilation name a library by its functions, and a function once: not both as pipeline state and as
// function.
func TestCompileRows(t *testing.T) {
	c := Compile{Items: []CompileItem{{Kind: "library", Name: "731d", SourceBytes: 9, Functions: []string{"a", "b", "c",
		"d", "e"}},
		{Kind: "library", Name: "99aa", SourceBytes: 9}, {Kind: "library", Name: "/x.metallib"},
		{Kind: "function", Name: "a"}, {Kind: "pipeline", Name: "a"}, {Kind: "function", Name: "z"}}}
	want := []string{"source of a, b, c and 2 more", "source 99aa", "/x.metallib", "a", "z"}
	rows := c.Listed()
	if len(rows) != len(want) {
		t.Fatalf("%+v", rows)
	}
	for i, row := range rows {
		if row.Title() != want[i] {
			t.Errorf("row %d is %q, want %q", i, row.Title(), want[i])
		}
	}
}
