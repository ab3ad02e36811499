package analyze

import "testing"

// Instruments writes the names of Rust functions only partly demangled, and reports and profiles had them like that.
func TestRustName(t *testing.T) {
	for mangled, want := range map[string]string{
		"_$LT$core..ops..range..Range$LT$T$GT$$u20$as$u20$core..iter..Iterator$GT$::next::h0123456789abcdef": "<core::ops::range::Range<T> as core::iter::Iterator>::next",
		"candle_metal::run::_$u7b$$u7b$closure$u7d$$u7d$::h00112233aabbccdd":                                 "candle_metal::run::_{{closure}}",
		"wgpu_hal::metal::device::create::h0011223344556677":                                                 "wgpu_hal::metal::device::create",
		"-[AGXDevice newBuffer:]": "-[AGXDevice newBuffer:]",
		"outer$inner":             "outer$inner",
		"main":                    "main",
		"a..b":                    "a..b",
	} {
		if got := RustName(mangled); got != want {
			t.Errorf("%s is %s, want %s", mangled, got, want)
		}
	}
}
