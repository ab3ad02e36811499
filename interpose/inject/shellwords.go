package inject

import "strings"

// shellWords splits one simple command into words as sh(1) does. A word may be bare, quoted or mixed. $0 and ${0}
// become script, "$@" becomes the word allArgs. ok is false for everything that only a shell can evaluate (other
// expansions, operators, globs, comments inside), because following a wrong program would be worse than following
// none.
func shellWords(line, script string) (words []string, ok bool) {
	var word strings.Builder
	inWord := false
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == ' ' || c == '\t':
			if inWord {
				words, inWord = append(words, word.String()), false
				word.Reset()
			}
			i++
		case c == '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, false
			}
			word.WriteString(line[i+1 : i+1+end])
			inWord, i = true, i+end+2
		case c == '"':
			text, next, ok := doubleQuoted(line, i, script)
			if !ok {
				return nil, false
			}
			word.WriteString(text)
			inWord, i = true, next
		case c == '#' && !inWord:
			return words, true
		case c == '\\' && i+1 < len(line):
			word.WriteByte(line[i+1])
			inWord, i = true, i+2
		case strings.IndexByte("$`|&;<>()*?[]{}!~\\\n", c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
			inWord, i = true, i+1
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, true
}

// allArgs stands for "$@" among the words of a wrapper script. No script can contain it, because it begins with a
// NUL.
const allArgs = "\x00@"

// doubleQuoted reads the quoted text that starts at line[start]. It returns the text and the position after the
// closing quote. Besides plain text it understands $0, $@, and the expression for the script's folder that uv writes
// into relocatable wrappers.
func doubleQuoted(line string, start int, script string) (text string, next int, ok bool) {
	const ownFolder = `"$(dirname -- "$(realpath -- "$0")")"`
	if strings.HasPrefix(line[start:], ownFolder) {
		return folderOf(script), start + len(ownFolder), true
	}
	var b strings.Builder
	for i := start + 1; i < len(line); {
		switch c := line[i]; {
		case c == '"':
			return b.String(), i + 1, true
		case c == '\\' && i+1 < len(line) && strings.IndexByte("$`\"\\", line[i+1]) >= 0:
			b.WriteByte(line[i+1])
			i += 2
		case strings.HasPrefix(line[i:], "$@"):
			b.WriteString(allArgs)
			i += 2
		case strings.HasPrefix(line[i:], "${0}"):
			b.WriteString(script)
			i += 4
		case strings.HasPrefix(line[i:], "$0"):
			b.WriteString(script)
			i += 2
		case c == '$' || c == '`':
			return "", 0, false
		default:
			b.WriteByte(c)
			i++
		}
	}
	return "", 0, false
}
