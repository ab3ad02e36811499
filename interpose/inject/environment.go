package inject

import "strings"

// environment is a process's environment, one NAME=VALUE per element. If a name occurs several times, the first one
// counts, as with getenv(3).
type environment []string

func (e environment) get(name string) (string, bool) {
	for _, entry := range e {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value, true
		}
	}
	return "", false
}

// with returns a copy of the environment in which name has value.
func (e environment) with(name, value string) environment {
	changed := e.without(name)
	return append(changed, name+"="+value)
}

// without returns a copy that lacks name.
func (e environment) without(name string) environment {
	changed := make(environment, 0, len(e)+1)
	for _, entry := range e {
		if !strings.HasPrefix(entry, name+"=") {
			changed = append(changed, entry)
		}
	}
	return changed
}

// withoutOrderCheck returns a copy in which AddressSanitizer accepts that it is not the first library. The tracing
// library comes first, and without this option the sanitizer would end the program. The library sets the option
// itself (interpose/system/sanitizer_linux.c), but that has no effect in a program that defines default options of
// its own.
func (e environment) withoutOrderCheck() environment {
	const variable, option = "ASAN_OPTIONS", "verify_asan_link_order"
	options, _ := e.get(variable)
	switch {
	case strings.Contains(options, option):
		return e
	case options != "":
		options += ":"
	}
	return e.with(variable, options+option+"=0")
}

// ourPrefix is the prefix of the environment variables that configure the tracing library.
const ourPrefix = "MTRACE_"

// withOurs returns a copy of e that also has those MTRACE_ variables of other that e lacks. A command such as
// env -i PROGRAM clears the environment of PROGRAM, but the tracing library in PROGRAM needs these variables.
func (e environment) withOurs(other environment) environment {
	changed := e
	for _, entry := range other {
		name, value, _ := strings.Cut(entry, "=")
		if _, kept := e.get(name); !kept && strings.HasPrefix(name, ourPrefix) {
			changed = changed.with(name, value)
		}
	}
	return changed
}
