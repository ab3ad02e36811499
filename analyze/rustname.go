package analyze

import (
	"regexp"
	"strings"
)

// rustEscapes replaces the escapes that Rust's legacy name mangling uses for characters that linkers do not accept.
var rustEscapes = strings.NewReplacer("$LT$", "<", "$GT$", ">", "$RF$", "&", "$BP$", "*", "$LP$", "(", "$RP$", ")",
	"$C$", ",", "$SP$", "@",
	"$u20$", " ", "$u27$", "'", "$u3b$", ";", "$u3d$", "=", "$u5b$", "[", "$u5d$", "]", "$u7b$", "{", "$u7d$", "}",
	"$u7e$", "~", "$u2b$", "+", "$u22$", `"`)

// rustHash matches the hash at the end of a name of Rust's legacy mangling.
var rustHash = regexp.MustCompile(`::h[0-9a-f]{16}$`)

// RustName converts a partly demangled Rust name, such as _$LT$core..ops..Fn$GT$::call::h0123456789abcdef, to the
// spelling in the source. Tools that do not know Rust produce such names from its legacy mangling. Other names are
// returned unchanged.
func RustName(name string) string {
	plain, hashed := name, strings.Contains(name, "::h") && rustHash.MatchString(name)
	if strings.Contains(name, "$") {
		plain = rustEscapes.Replace(name)
	}
	if plain == name && !hashed {
		return name // a name of another language, or one that is not mangled
	}
	plain = strings.ReplaceAll(rustHash.ReplaceAllString(plain, ""), "..", "::")
	if strings.HasPrefix(plain, "_<") {
		plain = plain[1:]
	}
	return plain
}
