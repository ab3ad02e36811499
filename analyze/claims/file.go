// Package claims checks claims about a run against its report: "the 95th percentile of commit is under 100 µs", "the
// GPU is busy for 90% of the time". A claim passes, fails, or is skipped, with the reason, if the trace lacks the data.
package claims

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mtrace/analyze"
)

// FileSchema names the files of claims.
const FileSchema = "mtrace.claims/1"

// A Claim is one testable statement about a trace, as a file of claims has it: an expression that must hold, a title
// for the reader, and a tolerance for numbers.
type Claim struct {
	ID         string    `json:"id"`
	Title      string    `json:"title"`
	Expr       string    `json:"expr"`
	Tolerance  Tolerance `json:"tolerance"`
	line       int
	expression *Expression
}

// A File is a list of claims.
type File struct {
	Path   string
	Name   string
	Claims []Claim
}

// ParseFile reads a file of claims: {"schema": "mtrace.claims/1", "name": …, "claims": [{"id", "title", "expr",
// "tolerance"}, …]}. Only claims and expr are required. `keys` are the keys that the document to be checked can have,
// so that misspelt ones are found; nil accepts any. An error names the line in the file.
func ParseFile(path string, data []byte, keys *Keys) (*File, error) {
	f := &File{Path: path}
	at := func(offset int64, err error) error {
		line := 1 + bytes.Count(data[:min(int(offset), len(data))], []byte("\n"))
		return fmt.Errorf("%s:%d: %w", path, line, err)
	}
	if isUTF16(data) {
		return nil, at(0, errors.New("the file is encoded as UTF-16; save it as UTF-8"))
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // the byte order mark that some editors put before UTF-8
	var whole json.RawMessage
	var syntax *json.SyntaxError
	if err := json.Unmarshal(data, &whole); errors.As(err, &syntax) {
		return nil, at(syntax.Offset, fmt.Errorf("not JSON: %w", err))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := f.object(d, data, keys, at); err != nil {
		return nil, err
	}
	if len(f.Claims) == 0 {
		return nil, at(0, errors.New("there are no claims in it"))
	}
	return f, nil
}

// isUTF16 reports whether a text is UTF-16: it has a byte order mark, or a zero byte among the first two, as JSON in
// UTF-16 does.
func isUTF16(data []byte) bool {
	return len(data) >= 2 && (data[0] == 0xff && data[1] == 0xfe || data[0] == 0xfe && data[1] == 0xff ||
		data[0] == 0 ||
		data[1] == 0)
}

// valueOffset returns the position of the next value, behind white space, commas and colons.
func valueOffset(d *json.Decoder, data []byte) int64 {
	at := d.InputOffset()
	for at < int64(len(data)) && strings.ContainsRune(" \t\r\n,:", rune(data[at])) {
		at++
	}
	return at
}

func (f *File) object(d *json.Decoder, data []byte, keys *Keys, at func(int64, error) error) error {
	wrong := func(err error) error {
		return at(d.InputOffset(), errors.New(strings.TrimPrefix(err.Error(), "json: ")))
	}
	if t, err := d.Token(); err != nil {
		return wrong(err)
	} else if t != json.Delim('{') {
		return at(d.InputOffset(), fmt.Errorf("a file of claims is an object: {\"schema\": %q, \"claims\": "+
			"[{\"expr\": …}]}", FileSchema))
	}
	seen := map[json.Token]bool{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return wrong(err)
		}
		if seen[t] {
			return at(d.InputOffset(), fmt.Errorf("%v is there twice", t))
		}
		seen[t] = true
		switch t {
		case "schema":
			var schema string
			if err := d.Decode(&schema); err != nil {
				return wrong(err)
			}
			if schema != FileSchema {
				return at(d.InputOffset(), fmt.Errorf("its schema is %q, not %q", schema, FileSchema))
			}
		case "name":
			if err := d.Decode(&f.Name); err != nil {
				return wrong(err)
			}
		case "claims":
			if err := f.list(d, data, keys, at, wrong); err != nil {
				return err
			}
		default:
			return at(d.InputOffset(),
				fmt.Errorf("unknown key %v: a file of claims may have the keys schema, name and claims", t))
		}
	}
	if _, err := d.Token(); err != nil {
		return wrong(err)
	}
	return nil
}

func (f *File) list(d *json.Decoder, data []byte, keys *Keys, at func(int64, error) error,
	wrong func(error) error) error {
	if t, err := d.Token(); err != nil {
		return wrong(err)
	} else if t != json.Delim('[') {
		return at(d.InputOffset(), errors.New("claims must be a list: [{\"expr\": …}, …]"))
	}
	line, counted := 1, int64(0)
	ids := map[string]int{}
	for d.More() {
		offset := valueOffset(d, data)
		line, counted = line+bytes.Count(data[counted:offset], []byte("\n")), offset
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return wrong(err)
		}
		c, err := parseClaim(raw, keys)
		if err != nil {
			return at(offset, fmt.Errorf("claim %d%s: %w", len(f.Claims)+1, c.called(), err))
		}
		if first, known := ids[c.ID]; known {
			return at(offset, fmt.Errorf("claim %d%s: claim %d has the same id, which must be unique",
				len(f.Claims)+1, c.called(), first))
		}
		c.line = line
		f.Claims = append(f.Claims, c)
		if c.ID != "" {
			ids[c.ID] = len(f.Claims)
		}
	}
	_, err := d.Token()
	if err != nil {
		return wrong(err)
	}
	return nil
}

// called returns the claim's ID or title in parentheses, for messages that already have its number; empty if it has
// neither.
func (c *Claim) called() string {
	switch {
	case c.ID != "":
		return fmt.Sprintf(" (%s)", analyze.Printable(c.ID))
	case c.Title != "":
		return fmt.Sprintf(" (%s)", analyze.Printable(c.Title))
	}
	return ""
}

func parseClaim(raw []byte, keys *Keys) (c Claim, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var wrong *json.UnmarshalTypeError
	switch err := d.Decode(&c); {
	case errors.As(err, &wrong) && wrong.Field == "":
		return c, fmt.Errorf("a claim is an object such as {\"expr\": …}, not a %s", wrong.Value)
	case errors.As(err, &wrong):
		return c, fmt.Errorf("%s is a text, not a %s", wrong.Field, wrong.Value)
	case err != nil:
		return c, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if key := twice(raw); key != "" {
		return c, fmt.Errorf("%s is there twice", key)
	}
	if c.Expr == "" {
		return c, errors.New("the claim has no expr, as in \"expr\": \"gpu.busy_share > 0.9\"")
	}
	if c.expression, err = Parse(c.Expr, keys); err != nil {
		return c, fmt.Errorf("expr: %w", err)
	}
	if t := c.Tolerance; t.dim != (dimension{}) {
		root := c.expression.root
		if root.kind != nodeComparison || root.children[0].dim != t.dim && root.children[1].dim != t.dim {
			return c, fmt.Errorf("tolerance %s is %v, but the claim compares another quantity", t.text, t.dim)
		}
	}
	return c, nil
}

// twice returns a key that a JSON object contains twice; empty if there is none. Go's decoder would silently replace
// the first value by the second. The decoder ignores the case of keys, so twice ignores it, too.
func twice(object []byte) string {
	d := json.NewDecoder(bytes.NewReader(object))
	seen := map[string]bool{}
	for depth, isKey := 0, false; ; {
		t, err := d.Token()
		if err != nil {
			return ""
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
			isKey = true
			continue
		case json.Delim('}'), json.Delim(']'):
			depth--
			isKey = true
			continue
		}
		if depth > 1 {
			continue
		}
		if key, _ := t.(string); isKey {
			if seen[strings.ToLower(key)] {
				return key
			}
			seen[strings.ToLower(key)] = true
		}
		isKey = !isKey
	}
}
