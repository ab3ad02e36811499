package cli

import "testing"

func TestSizes(t *testing.T) {
	for text, want := range map[string]SizeValue{
		"1": 1, "4G": 4 << 30, "512MiB": 512 << 20, "64kb": 64 << 10, "2t": 2 << 40,
		"": 0, "0": 0, "-1": 0, "G": 0, "1.5G": 0, "9999999999T": 0, "4X": 0, "4 G": 0,
	} {
		var v SizeValue
		if err := v.Set(text); v != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %d, %v; want %d", text, v, err, want)
		}
		if want > 0 {
			var again SizeValue
			if err := again.Set(v.String()); err != nil || again != v {
				t.Errorf("%d is written %s", v, v.String())
			}
		}
	}
}
