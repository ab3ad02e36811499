package xctrace

import (
	"bytes"
	"unicode/utf8"
)

// unescape appends raw to dst and replaces XML's five named entities and character references. Other entities stay as
// they are, and ok is then false.
func unescape(dst, raw []byte) (text []byte, ok bool) {
	ok = true
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			return append(dst, raw...), ok
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i:]
		end := bytes.IndexByte(raw, ';')
		if end < 0 || end > len("&#x0010ffff") {
			ok = false
			dst, raw = append(dst, '&'), raw[1:]
			continue
		}
		switch name := string(raw[1:end]); name {
		case "lt":
			dst = append(dst, '<')
		case "gt":
			dst = append(dst, '>')
		case "amp":
			dst = append(dst, '&')
		case "quot":
			dst = append(dst, '"')
		case "apos":
			dst = append(dst, '\'')
		default:
			r, valid := charReference(name)
			if !valid {
				ok = false
				dst, raw = append(dst, '&'), raw[1:]
				continue
			}
			dst = utf8.AppendRune(dst, r)
		}
		raw = raw[end+1:]
	}
}

// charReference returns the character of &#N; or &#xN;, given the text between & and ;. It returns false if that is
// none.
func charReference(name string) (rune, bool) {
	if len(name) < 2 || name[0] != '#' {
		return 0, false
	}
	base, digits := rune(10), name[1:]
	if digits[0] == 'x' {
		base, digits = 16, digits[1:]
	}
	if digits == "" {
		return 0, false
	}
	var r rune
	for _, c := range []byte(digits) {
		var d rune
		switch {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case base == 16 && c >= 'a' && c <= 'f':
			d = rune(c-'a') + 10
		case base == 16 && c >= 'A' && c <= 'F':
			d = rune(c-'A') + 10
		default:
			return 0, false
		}
		if r = r*base + d; r > utf8.MaxRune {
			return 0, false
		}
	}
	return r, utf8.ValidRune(r) && r != 0
}
