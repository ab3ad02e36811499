package doctor

import (
	"bytes"
	"encoding/json"
	"os"
	"os/user"
	"sort"
	"strings"
)

// Private lists texts that identify the user or the machine, and values of environment variables, each with its
// replacement. They are replaced before a report is shown or attached to a bug report.
type Private []replacement

type replacement struct {
	secret, shown string
	anywhere      bool // replace secret also in the middle of a word
}

// ThisUser returns the private texts of this machine: user, host and home folder, and values of environment
// variables.
func ThisUser() Private {
	p := Private{}.environment(os.Environ())
	if home, err := os.UserHomeDir(); err == nil {
		p = p.add(home, "~")
	}
	if host, err := os.Hostname(); err == nil {
		p = p.add(host, "HOST")
		short, _, _ := strings.Cut(host, ".")
		p = p.add(short, "HOST")
	}
	if u, err := user.Current(); err == nil {
		p = p.add(u.HomeDir, "~").add(u.Username, "USER")
		if len(u.Name) > 0 {
			p = p.add(u.Name, "USER")
		}
	}
	return p
}

// add adds a secret text and the text shown instead. It ignores very short texts and names that every machine has
// (root, localhost): replacing them would make reports unreadable.
func (p Private) add(secret, shown string) Private {
	switch {
	case len(secret) < 3, secret == "root", secret == "localhost", secret == "/root":
		return p
	}
	p = append(p, replacement{secret: secret, shown: shown})
	sort.SliceStable(p, func(i, j int) bool { return len(p[i].secret) > len(p[j].secret) })
	return p
}

// Text replaces private texts in s where they are whole words: "ann" in "/home/ann/x", but not in "channel".
func (p Private) Text(s string) string {
	for _, r := range p {
		if r.anywhere {
			s = strings.ReplaceAll(s, r.secret, r.shown)
			continue
		}
		s = replaceWord(s, r.secret, r.shown)
	}
	return userInfo.ReplaceAllString(s, "://(not shown)@")
}

func replaceWord(s, old, new string) string {
	var b strings.Builder
	for {
		at := strings.Index(s, old)
		if at < 0 {
			return b.String() + s
		}
		end := at + len(old)
		whole := (at == 0 || !isNameByte(s[at-1]) || !isNameByte(old[0])) && (end == len(s) || !isNameByte(s[end]))
		b.WriteString(s[:at])
		if whole {
			b.WriteString(new)
		} else {
			b.WriteString(old)
		}
		s = s[end:]
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// Scrub returns the report with private texts replaced everywhere, also in Data.
func (p Private) Scrub(r Report) (Report, error) { return p.rewrite(r, p.value) }

// Share is Scrub for a report that is sent to others: it also replaces the command's arguments and shortens paths.
func (p Private) Share(r Report) (Report, error) {
	return p.rewrite(r, func(v any) any { return p.shared("", v) })
}

func (p Private) rewrite(r Report, change func(any) any) (Report, error) {
	encoded, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	var tree any
	if err := decodeExactly(encoded, &tree); err != nil {
		return r, err
	}
	if encoded, err = json.Marshal(change(tree)); err != nil {
		return r, err
	}
	var clean Report
	err = decodeExactly(encoded, &clean)
	return clean, err
}

// decodeExactly decodes JSON without converting numbers to float64, which would change large integers.
func decodeExactly(encoded []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func (p Private) value(v any) any {
	switch v := v.(type) {
	case string:
		return p.Text(v)
	case []any:
		for i := range v {
			v[i] = p.value(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for key, value := range v {
			clean[p.Text(key)] = p.value(value)
		}
		return clean
	}
	return v
}
