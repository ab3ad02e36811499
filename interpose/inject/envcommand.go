package inject

import (
	"errors"
	"strings"
)

// errNotFollowed is returned if a program's arguments do not tell which program it starts.
var errNotFollowed = errors.New("its arguments were not understood")

// followEnv returns the command that env(1) would execute (the words after its options and settings), and the
// environment that its options and settings produce. It returns errNotFollowed if it does not understand them.
func followEnv(args []string, env environment) (command []string, changed environment, err error) {
	words := args[1:]
	for expanded := 0; len(words) > 0; {
		word := words[0]
		switch {
		case word == "-" || word == "-i" || word == "--ignore-environment":
			env, words = environment{}, words[1:]
		case word == "--":
			words = words[1:]
			return envSettings(words, env)
		case word == "-u" || word == "--unset":
			if len(words) < 2 {
				return nil, nil, errNotFollowed
			}
			env, words = env.without(words[1]), words[2:]
		case strings.HasPrefix(word, "--unset="):
			env, words = env.without(strings.TrimPrefix(word, "--unset=")), words[1:]
		case strings.HasPrefix(word, "-u"):
			env, words = env.without(word[2:]), words[1:]
		case word == "-v" || word == "--debug":
			words = words[1:]
		case word == "-S" || word == "--split-string" || strings.HasPrefix(word, "-S") ||
			strings.HasPrefix(word, "--split-string="):
			text, rest, ok := splitOperand(words)
			if !ok || expanded > 0 {
				return nil, nil, errNotFollowed
			}
			split, err := splitString(text, env)
			if err != nil {
				return nil, nil, err
			}
			expanded++
			words = append(split, rest...)
		case strings.HasPrefix(word, "-"):
			return nil, nil, errNotFollowed
		default:
			return envSettings(words, env)
		}
	}
	return nil, nil, errNotFollowed // env alone prints the environment
}

// envSettings applies the settings (words of the form NAME=VALUE) at the beginning of words to env. It returns the
// other words and the changed environment.
func envSettings(words []string, env environment) ([]string, environment, error) {
	for len(words) > 0 && strings.Contains(words[0], "=") {
		name, value, _ := strings.Cut(words[0], "=")
		env, words = env.with(name, value), words[1:]
	}
	if len(words) == 0 {
		return nil, nil, errNotFollowed
	}
	return words, env, nil
}

// splitOperand returns the operand of env's option -S, which is in the same word or in the next one, and the words
// after the operand.
func splitOperand(words []string) (text string, rest []string, ok bool) {
	if text, ok = strings.CutPrefix(words[0], "--split-string="); ok {
		return text, words[1:], true
	}
	if words[0] != "-S" && words[0] != "--split-string" {
		return words[0][2:], words[1:], true
	}
	if len(words) < 2 {
		return "", nil, false
	}
	return words[1], words[2:], true
}

// splitString splits text as the option -S of env does, in FreeBSD's version (which macOS has) as well as GNU's.
// Blanks separate words, quotes group, ${NAME} is replaced, # at the start of a word begins a comment, \c ends the
// text.
func splitString(text string, env environment) (words []string, err error) {
	var word strings.Builder
	inWord := false
	end := func() {
		if inWord {
			words = append(words, word.String())
			word.Reset()
			inWord = false
		}
	}
	quote := byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == quote && quote != 0:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
		case quote == 0 && strings.IndexByte(" \t\n\v\f\r", c) >= 0:
			end()
		case quote == 0 && c == '#' && !inWord:
			return words, nil
		case c == '\\' && i+1 < len(text) && (quote != '\'' || text[i+1] == '\'' || text[i+1] == '\\'):
			i++
			if quote == 0 && text[i] == '_' {
				end()
				continue
			}
			if quote == 0 && text[i] == 'c' {
				end()
				return words, nil
			}
			replaced, ok := splitEscapes[text[i]]
			if !ok {
				return nil, errNotFollowed
			}
			word.WriteByte(replaced)
			inWord = true
		case c == '$' && quote != '\'':
			name, length, ok := bracedName(text[i:])
			if !ok {
				return nil, errNotFollowed
			}
			value, _ := env.get(name)
			word.WriteString(value)
			inWord, i = true, i+length-1
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, errNotFollowed
	}
	end()
	return words, nil
}

var splitEscapes = map[byte]byte{
	'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v',
	'#': '#', '$': '$', '_': ' ', '"': '"', '\'': '\'', '\\': '\\',
}

// bracedName returns the name in ${NAME} at the start of text, and the length of the whole expression.
func bracedName(text string) (name string, length int, ok bool) {
	close := strings.IndexByte(text, '}')
	if !strings.HasPrefix(text, "${") || close < 3 {
		return "", 0, false
	}
	return text[2:close], close + 1, true
}
