package claims

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A SyntaxError is an error at a position in an expression. Columns count characters, from 1.
type SyntaxError struct {
	Column  int
	Problem string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("column %d: %s", e.Column, e.Problem) }

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenText
	tokenName
	tokenOperator
)

type token struct {
	kind   tokenKind
	text   string // name, operator, or the value of a text
	number float64
	dim    dimension
	column int
}

func (t token) String() string {
	switch t.kind {
	case tokenEnd:
		return "the end"
	case tokenText:
		return strconv.Quote(t.text)
	}
	return strconv.Quote(t.text)
}

var operators = []string{"<=", ">=", "==", "!=", "&&", "||", "<", ">", "=", "!", "+", "-", "*", "/", "(", ")", "[",
	"]", ".", ",", "~"}

// scan splits an expression into tokens; the last one is always tokenEnd.
func scan(s string) ([]token, error) {
	if !utf8.ValidString(s) {
		return nil, &SyntaxError{1, "the expression is not UTF-8"}
	}
	var tokens []token
	for at, column, counted := 0, 1, 0; ; {
		rest := strings.TrimLeftFunc(s[at:], unicode.IsSpace)
		at = len(s) - len(rest)
		column, counted = column+utf8.RuneCountInString(s[counted:at]), at
		t := token{column: column}
		if rest == "" {
			return append(tokens, t), nil
		}
		n, err := t.read(rest)
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		at += n
	}
}

// read reads the token at the beginning of s and returns its length in bytes.
func (t *token) read(s string) (int, error) {
	first, _ := utf8.DecodeRuneInString(s)
	switch {
	case first >= '0' && first <= '9':
		return t.readNumber(s)
	case first == '"' || first == '\'':
		return t.readText(s, byte(first))
	case first == '_' || unicode.IsLetter(first):
		n := strings.IndexFunc(s, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if n < 0 {
			n = len(s)
		}
		t.kind, t.text = tokenName, s[:n]
		return n, nil
	}
	for _, op := range operators {
		if strings.HasPrefix(s, op) {
			t.kind, t.text = tokenOperator, op
			return len(op), nil
		}
	}
	return 0, &SyntaxError{t.column, fmt.Sprintf("unexpected character %q", first)}
}

// readNumber reads a number and its unit, if there is one: 100us, 1e6, 5%. Letters after a blank belong to the number
// only if they are a unit; in "2.5 is" they are not.
func (t *token) readNumber(s string) (int, error) {
	n := len(s) - len(strings.TrimLeft(s, "0123456789_"))
	if n < len(s) && s[n] == '.' {
		n++
		n += len(s[n:]) - len(strings.TrimLeft(s[n:], "0123456789_"))
	}
	if n < len(s) && (s[n] == 'e' || s[n] == 'E') {
		exponent := strings.TrimLeft(s[n+1:], "+-")
		digits := len(exponent) - len(strings.TrimLeft(exponent, "0123456789"))
		if sign := len(s[n+1:]) - len(exponent); digits > 0 && sign <= 1 {
			n += 1 + sign + digits
		}
	}
	value, err := strconv.ParseFloat(strings.ReplaceAll(s[:n], "_", ""), 64)
	if err != nil {
		return 0, &SyntaxError{t.column, fmt.Sprintf("%s is not a number", s[:n])}
	}
	t.kind, t.number = tokenNumber, value
	spaces := len(s[n:]) - len(strings.TrimLeft(s[n:], " "))
	suffix := strings.IndexFunc(s[n+spaces:], func(r rune) bool { return r != '%' && !unicode.IsLetter(r) })
	if suffix < 0 {
		suffix = len(s) - n - spaces
	}
	if u, known := units[s[n+spaces:n+spaces+suffix]]; known {
		t.number, t.dim = value*u.factor, u.dim
		n += spaces + suffix
	} else if suffix > 0 && spaces == 0 {
		return 0, &SyntaxError{t.column, fmt.Sprintf(
			"unknown unit %q: the units are ns, us, ms, s, min, B, kB, MB, GB, KiB, MiB, GiB, %% and x", s[n:n+suffix])}
	}
	t.text = s[:n]
	return n, nil
}

// readText reads a text in single or double quotes. A backslash makes the next character, such as a quote, part of
// the text.
func (t *token) readText(s string, quote byte) (int, error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			t.kind, t.text = tokenText, b.String()
			return i + 1, nil
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return 0, &SyntaxError{t.column, "the text does not end: its closing quote is missing"}
}
