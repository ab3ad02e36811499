package inject

import (
	"bytes"
	"io"
	"os"
	"strings"
)

// The number of bytes at the start of a file in which the kernel looks for a #! line: BINPRM_BUF_SIZE of Linux,
// IMG_SHSIZE of XNU.
const (
	linuxShebangBytes  = 256
	darwinShebangBytes = 512
)

// shebang is the interpreter and its arguments that a script's #! line names.
type shebang struct {
	interpreter string
	args        []string
}

// parseShebang reads the #! line at the start of a script as the given system's kernel does. ok is false if the
// kernel would return ENOEXEC.
//
// Linux (fs/binfmt_script.c) passes everything after the interpreter as one argument, and truncates a long line
// unless that cuts the interpreter's name. XNU (exec_shell_imgact) splits at blanks, also ends the line at a '#', and
// refuses a long line.
func parseShebang(head []byte, system string) (s shebang, ok bool) {
	if !bytes.HasPrefix(head, []byte("#!")) {
		return shebang{}, false
	}
	if system == "darwin" {
		return parseDarwinShebang(head)
	}
	return parseLinuxShebang(head)
}

// parseLinuxShebang reads the #! line as Linux does. If the line is longer than the kernel's buffer, the kernel's
// terminating zero overwrites the buffer's last byte.
func parseLinuxShebang(head []byte) (s shebang, ok bool) {
	line := head[2:min(len(head), linuxShebangBytes)]
	if end := bytes.IndexAny(line, "\n\x00"); end >= 0 {
		line = line[:end]
	} else if len(head) >= linuxShebangBytes {
		if !bytes.ContainsAny(bytes.TrimLeft(line, " \t"), " \t") {
			return shebang{}, false // the interpreter's own name is cut
		}
		line = line[:len(line)-1]
	}
	text := strings.Trim(string(line), " \t")
	if text == "" {
		return shebang{}, false
	}
	end := strings.IndexAny(text, " \t")
	if end < 0 {
		return shebang{interpreter: text}, true
	}
	return shebang{text[:end], []string{strings.TrimLeft(text[end:], " \t")}}, true
}

func parseDarwinShebang(head []byte) (s shebang, ok bool) {
	if len(head) > darwinShebangBytes {
		head = head[:darwinShebangBytes]
	}
	end := bytes.IndexAny(head[2:], "\n#")
	if end < 0 {
		return shebang{}, false
	}
	words := strings.FieldsFunc(string(head[2:2+end]), func(r rune) bool { return r == ' ' || r == '\t' })
	if len(words) == 0 {
		return shebang{}, false
	}
	return shebang{interpreter: words[0], args: words[1:]}, true
}

// looksLikeText reports whether a file without a #! line is a script, which execvp passes to the shell, or an unknown
// binary. It tests what shells test: a binary has a NUL byte in the first line.
func looksLikeText(head []byte) bool {
	if end := bytes.IndexByte(head, '\n'); end >= 0 {
		head = head[:end]
	}
	return bytes.IndexByte(head, 0) < 0
}

// maxWrapper limits how many bytes of a script are read to find out whether it is a wrapper (a script that only
// starts another program).
const maxWrapper = 8 << 10

// readHead reads the start of a file.
func readHead(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit))
}
