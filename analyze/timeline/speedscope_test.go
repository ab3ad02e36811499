package timeline

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mtrace/collector/wire"
	"mtrace/fixtures/consumers"
	"mtrace/fixtures/tracetest"
)

func speedscopeOf(b *bytes.Buffer) *Writer { return NewSpeedscope(b) }

// speedscopeSlices reads a file as Speedscope's importer does, which refuses a profile whose events go back in time, or
// that leaves a frame it is not in: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources.
func speedscopeSlices(t testing.TB, data []byte) (shown []string) {
	t.Helper()
	var file struct {
		Schema   string `json:"$schema"`
		Shared   struct{ Frames []struct{ Name string } }
		Profiles []struct {
			Type, Name, Unit     string
			StartValue, EndValue int64
			Events               []struct {
				Type  string
				Frame int
				At    int64
			}
		}
	}
	if err := json.Unmarshal(data, &file); err != nil ||
		file.Schema != "https://www.speedscope.app/file-format-schema.json" {
		t.Fatalf("%v, schema %q:\n%.500s", err, file.Schema, data)
	}
	for _, p := range file.Profiles {
		if p.Type != "evented" || p.Unit != "nanoseconds" || p.Name == "" {
			t.Errorf("a profile of type %q in %q, called %q", p.Type, p.Unit, p.Name)
		}
		type open struct {
			frame int
			at    int64
		}
		var in []open
		now := p.StartValue
		for _, e := range p.Events {
			if e.At < now || e.At > p.EndValue {
				t.Fatalf("%s goes from %d to %d, with its end at %d", p.Name, now, e.At, p.EndValue)
			}
			switch now = e.At; e.Type {
			case "O":
				in = append(in, open{e.Frame, e.At})
			case "C":
				top := in[len(in)-1]
				if top.frame != e.Frame {
					t.Fatalf("%s leaves %d inside of %d", p.Name, e.Frame, top.frame)
				}
				in = in[:len(in)-1]
				shown = append(shown, fmt.Sprintf("%s: %s %d-%d", p.Name, file.Shared.Frames[e.Frame].Name, top.at, e.At))
			}
		}
		if len(in) > 0 {
			t.Errorf("%s ends inside of %d frames", p.Name, len(in))
		}
	}
	slices.Sort(shown)
	return shown
}

// Speedscope shows the slices that Perfetto shows, on tracks of the same names.
func TestSpeedscopeShowsEveryCall(t *testing.T) {
	path := tracetest.Small(t)
	data, _ := write(t, path, speedscopeOf)
	perfetto, _ := write(t, path, perfettoOf)
	same, _ := replay(t, perfetto)
	var got, want []string
	for _, s := range speedscopeSlices(t, data) {
		got = append(got, s[strings.Index(s, ": ")+2:])
	}
	for _, s := range same {
		want = append(want, fmt.Sprintf("%s %d-%d", s.name, s.begin, s.end))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || len(want) == 0 {
		t.Errorf("Speedscope shows\n%s\nPerfetto\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The output conforms to the schema that Speedscope publishes with each of its releases.
func TestSpeedscopeIsOfItsSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(consumers.File(t, "speedscope/dist/release/file-format-schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, trace := range map[string]string{"small": tracetest.Small(t),
		"recorded": "../../fixtures/traces/device-sync.mtrace"} {
		data, _ := write(t, trace, speedscopeOf)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = schema.Validate(document)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A call around very many is given after them, and is shown around them all the same.
func TestSpeedscopeCallAroundVeryMany(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "deep")
	th := p.Thread(8, "a")
	th.NewQueue("q")
	begin := th.Now
	for range 2*most + 5 {
		th.Call(wire.FamilyEncoder, "endEncoding", 1, 0, 10, nil)
	}
	th.Outer(wire.FamilyCommandBuffer, "commit", 5, 0, begin, nil)
	p.End()
	f.Close()
	data, _ := write(t, path, speedscopeOf)
	inner, outer := 0, 0
	for _, s := range speedscopeSlices(t, data) {
		switch {
		case strings.Contains(s, "a 8, deep 7: endEncoding "):
			inner++
		case strings.Contains(s, "a 8, deep 7: commit "):
			outer++
		}
	}
	if inner != 2*most+5 || outer != 1 {
		t.Errorf("%d inner calls and %d around them", inner, outer)
	}
}
