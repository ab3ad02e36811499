package analyze

import (
	"regexp"
	"strings"
)

// rustEscapes are what Rust's older mangling writes for characters that linkers do not take, as its compiler's legacy
// mangling defines them.
var rustEscapes = strings.NewReplacer("$LT$", "<", "$GT$", ">", "$RF$", "&", "$BP$", "*", "$LP$", "(", "$RP$", ")",
	"$C$", ",", "$SP$", "@",
	"$u20$", " ", "$u27$", "'", "$u3b$", ";", "$u3d$", "=", "$u5b$", "[", "$u5d$", "]", "$u7b$", "{", "$u7d$", "}",
	"$u7e$", "~", "$u2b$", "+", "$u22$", `"`)

// rustHash is the hash that ends such a name.
var rustHash = regexp.MustCompile(`::h[0-9a-f]{16}$`)

// RustName is a function's name as Rust's programmer wrote it, where a tool has only taken it apart at its lengths:
// _$LT$core..ops..Fn$GT$::call::h0123456789abcdef. All other names stay as they are.
func RustName(name string) string {
	plain, hashed := name, strings.Contains(name, "::h") && rustHash.MatchString(name)
	if strings.Contains(name, "$") {
		plain = rustEscapes.Replace(name)
	}
	if plain == name && !hashed {
		return name // of another language, or not mangled
	}
	plain = strings.ReplaceAll(rustHash.ReplaceAllString(plain, ""), "..", "::")
	if strings.HasPrefix(plain, "_<") {
		plain = plain[1:]
	}
	return plain
}
