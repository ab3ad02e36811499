package show

import (
	"testing"

	"mtrace/analyze/replay"
)

func TestParseWhatIf(t *testing.T) {
	got, err := parseWhatIf([]string{"kernel:matmul<float, 4>*=0.5,lock:cache=0", "call:commit=2,thread:a=b=0.25"})
	want := []replay.Wanted{{Kind: "kernel", Pattern: "matmul<float, 4>*", Factor: 0.5}, {Kind: "lock", Pattern: "cache"},
		{Kind: "call", Pattern: "commit", Factor: 2}, {Kind: "thread", Pattern: "a=b", Factor: 0.25}}
	if err != nil || len(got) != len(want) {
		t.Fatalf("%v, %v", got, err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%+v, want %+v", got[i], want[i])
		}
	}
}

func FuzzParseWhatIf(f *testing.F) {
	f.Add("kernel:matmul*=0.5,lock:cache=0")
	f.Add("kernel:=,lock:")
	f.Fuzz(func(t *testing.T, text string) {
		wanted, err := parseWhatIf([]string{text})
		if (err == nil) == (len(wanted) == 0) {
			t.Errorf("%q: %v, %v", text, wanted, err)
		}
		for _, w := range wanted {
			if !(w.Factor >= 0 && w.Factor <= 100) || w.Pattern == "" {
				t.Errorf("%q gave %+v", text, w)
			}
		}
	})
}
