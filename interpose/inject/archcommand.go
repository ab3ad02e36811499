package inject

import "strings"

// archSlices maps the options of arch(1) that choose a slice (one processor's part of a universal file) to the
// slice's machine name.
var archSlices = map[string]string{
	"-arm64": "arm64", "-arm64e": "arm64e", "-x86_64": "x86_64", "-x86_64h": "x86_64h", "-64": "",
}

// nextInArch returns the program that macOS's arch(1) starts in a chosen slice. System Integrity Protection protects
// arch, so dyld removes DYLD_ variables from its environment. But arch sets variables given with its option -e for
// the program; Prepare uses that option.
func nextInArch(h Host, s invocation, _ *chain) (*invocation, error) {
	env := s.env
	options := []string{s.args[0]}
	machine := ""
	words := s.args[1:]
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		word := words[0]
		slice, isSlice := archSlices[word]
		operands := 1
		switch {
		case isSlice && machine == "":
			machine = slice
		case isSlice:
		case word == "-c":
			env = environment{}
		case word == "-arch" && len(words) > 1:
			operands = 2
			if machine == "" {
				machine = words[1]
			}
		case word == "-d" && len(words) > 1:
			operands = 2
			env = env.without(words[1])
		case word == "-e" && len(words) > 1:
			operands = 2
			name, value, _ := strings.Cut(words[1], "=")
			env = env.with(name, value)
		default:
			return nil, errNotFollowed
		}
		options = append(options, words[:operands]...)
		words = words[operands:]
	}
	if len(words) == 0 {
		return nil, errNotFollowed
	}
	next, err := h.stepTo(s, words, env, "arch")
	if err != nil {
		return nil, err
	}
	next.machine, next.archArgs = machine, options
	return next, nil
}
