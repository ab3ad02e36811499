package analyze

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// rustEscape matches an escape of Rust's legacy name mangling. The escape stands for a character that linkers do not
// accept: $LT$ for "<", or $u7e$ with the character's code point in hexadecimal. If a part of the path begins with
// an escape, Rust puts an underscore before it.
var rustEscape = regexp.MustCompile(`((?:^|::)_)?\$(LT|GT|RF|BP|LP|RP|C|SP|u[0-9a-f]{2,6})\$`)

var rustCharacters = map[string]string{"LT": "<", "GT": ">", "RF": "&", "BP": "*", "LP": "(", "RP": ")", "C": ",",
	"SP": "@"}

// rustCharacter returns the replacement for one match of rustEscape: the character, after the "::" that the match
// may begin with.
func rustCharacter(match string) string {
	parts := rustEscape.FindStringSubmatch(match)
	if c := rustCharacters[parts[2]]; c != "" {
		return strings.TrimSuffix(parts[1], "_") + c
	}
	code, err := strconv.ParseUint(parts[2][1:], 16, 32)
	if err != nil || !unicode.IsPrint(rune(code)) {
		return match
	}
	return strings.TrimSuffix(parts[1], "_") + string(rune(code))
}

// rustHash matches the hash at the end of a name of Rust's legacy mangling.
var rustHash = regexp.MustCompile(`::h[0-9a-f]{16}$`)

// RustName converts a partly demangled Rust name, such as _$LT$core..ops..Fn$GT$::call::h0123456789abcdef, to the
// spelling in the source. Tools that do not know Rust produce such names from its legacy mangling. Other names are
// returned unchanged.
func RustName(name string) string {
	plain, hashed := name, strings.Contains(name, "::h") && rustHash.MatchString(name)
	if strings.Contains(name, "$") {
		plain = rustEscape.ReplaceAllStringFunc(name, rustCharacter)
	}
	if plain == name && !hashed {
		return name // a name of another language, or one that is not mangled
	}
	return strings.ReplaceAll(rustHash.ReplaceAllString(plain, ""), "..", "::")
}
