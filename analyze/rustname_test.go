package analyze

import "testing"

// Instruments writes the names of Rust functions only partly demangled, and reports and profiles had them like that.
func TestRustName(t *testing.T) {
	for _, c := range []struct{ mangled, want string }{
		{"_$LT$core..ops..range..Range$LT$T$GT$$u20$as$u20$core..iter..Iterator$GT$::next::h0123456789abcdef",
			"<core::ops::range::Range<T> as core::iter::Iterator>::next"},
		{"candle_metal::run::_$u7b$$u7b$closure$u7d$$u7d$::h00112233aabbccdd",
			"candle_metal::run::{{closure}}"},
		{"core::ptr::drop_in_place$LT$$u5b$alloc..string..String$u3b$$u20$2$u5d$$GT$::hfedcba9876543210",
			"core::ptr::drop_in_place<[alloc::string::String; 2]>"},
		{"alloc::slice::_$LT$impl$u20$$u5b$T$u5d$$GT$::to_vec", "alloc::slice::<impl [T]>::to_vec"},
		{"_$LT$metal..Buffer$u20$as$u20$foreign_types..ForeignType$GT$::from_ptr::_$u7b$$u7b$closure$u7d$$u7d$",
			"<metal::Buffer as foreign_types::ForeignType>::from_ptr::{{closure}}"},
		{"run::_$LT$impl$u20$FnMut$LT$$LP$$RF$$u27$a$u20$str$C$$BP$const$u20$u8$RP$$GT$$GT$::go",
			"run::<impl FnMut<(&'a str,*const u8)>>::go"},
		{"a::b$u2c$c$u3a$$u3a$d", "a::b,c::d"},
		{"_$LT$T$u20$as$u20$x..Y$GT$::z::hdeadbeef", "<T as x::Y>::z::hdeadbeef"}, // too short for a hash
		{"price$in$usd", "price$in$usd"},
		{"jump$ua$", "jump$ua$"}, // no printable character
		{"wgpu_hal::metal::device::create::h0011223344556677", "wgpu_hal::metal::device::create"},
		{"-[AGXDevice newBuffer:]", "-[AGXDevice newBuffer:]"},
		{"outer$inner", "outer$inner"},
		{"main", "main"},
		{"a..b", "a..b"},
	} {
		if got := RustName(c.mangled); got != c.want {
			t.Errorf("%s is %s, want %s", c.mangled, got, c.want)
		}
	}
}
