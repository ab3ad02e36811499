package report

// A styler colours text, or leaves it.
type styler bool

func (s styler) bold(t string) string { return s.ansi("1", t) }

func (s styler) dim(t string) string { return s.ansi("2", t) }

func (s styler) red(t string) string { return s.ansi("1;31", t) }

func (s styler) yellow(t string) string { return s.ansi("33", t) }

func (s styler) ansi(code, t string) string {
	if !s || t == "" {
		return t
	}
	return "\x1b[" + code + "m" + t + "\x1b[0m"
}
