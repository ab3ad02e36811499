package main

import (
	"os/exec"
	"strings"
	"testing"
)

// A shell that has read the script completes commands and flags.
func TestCompletion(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash: apt-get install bash")
	}
	// For a word bash calls a function of the script, which runs the tool, by its name.
	script := `PATH="$1:$PATH"
_get_comp_words_by_ref() { cur=${COMP_WORDS[COMP_CWORD]} words=("${COMP_WORDS[@]}") cword=$COMP_CWORD; }
. <(mtrace completion bash)
complete_line() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
  COMPREPLY=(); __start_mtrace; printf '%s\n' "${COMPREPLY[@]}"
}
complete_line mtrace rep
echo --
complete_line mtrace report --jso
echo --
complete_line mtrace export t.mtrace --format pa
echo --
complete_line mtrace explain head-of
echo --
complete_line mtrace bench gel`
	got := sh(t, "", nil, bash, "-c", script, "bash", tool.dir)
	for _, want := range []string{"report", "repair", "--json", "parquet", "head-of-line", "gelu"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not among what bash completes:\n%+v", want, got)
		}
	}
	for _, shell := range []string{"zsh", "fish"} {
		if got := sh(t, "", nil, tool.mtrace, "completion", shell); got.exit != 0 || !strings.Contains(got.stdout, "mtrace") {
			t.Errorf("%s: %+v", shell, got)
		}
	}
}

// A mistyped command gets a suggestion of a similar one; help names a command in either order.
func TestCommandsAreFound(t *testing.T) {
	for _, row := range []struct {
		args string
		exit int
		says string
	}{
		{"repot x.mtrace", 2, `mtrace: unknown command "repot": did you mean report? mtrace --help lists the commands` +
			"\n"},
		{"frobnicate", 2, `mtrace: unknown command "frobnicate": mtrace --help lists the commands` + "\n"},
		{"--frobnicate", 2, "mtrace: unknown flag --frobnicate: mtrace --help lists the commands\n"},
		{"report --widht x", 2, "mtrace report: unknown flag --widht (did you mean --wide?): mtrace report --help lists " +
			"the flags\n"},
		{"report --jsn x", 2, "mtrace report: unknown flag --jsn (did you mean --json?): mtrace report --help lists the " +
			"flags\n"},
		{"run --foce -- true", 2, "mtrace run: unknown flag --foce (did you mean --force?): mtrace run --help lists the " +
			"flags\n"},
		{"report -q x", 2, "mtrace report: unknown flag -q: mtrace report --help lists the flags\n"},
		{"report --color=blue x", 2, "mtrace report: invalid argument \"blue\" for \"--color\" flag: give one of auto, " +
			"always, never: mtrace report --help lists the flags\n"},
		{"--", 2, "mtrace: no command is given: mtrace --help lists the commands\n"},
		{"help frobnicate", 2, `mtrace: unknown command "frobnicate": mtrace --help lists the commands` + "\n"},
		{"completion tcsh", 2, `mtrace completion: unknown shell "tcsh": give bash, zsh or fish` + "\n"},
	} {
		if got := sh(t, "", nil, tool.mtrace, strings.Fields(row.args)...); got.exit != row.exit || got.stderr != row.says ||
			got.stdout != "" {
			t.Errorf("mtrace %s: %+v", row.args, got)
		}
	}
	one, other := sh(t, "", nil, tool.mtrace, "help", "report"), sh(t, "", nil, tool.mtrace, "report", "--help")
	if one != other || one.exit != 0 || !strings.Contains(one.stdout, "Usage: mtrace report") {
		t.Errorf("%+v\n%+v", one, other)
	}
}

// TestColourIsChosen: --color takes precedence over NO_COLOR and FORCE_COLOR, and these over the properties of the
// terminal.
func TestColourIsChosen(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		env, flag string
		coloured  bool
	}{
		{"NO_COLOR=", "--color=auto", false}, {"NO_COLOR=", "--color=always", true}, {"NO_COLOR=1", "--color=always", true},
		{"FORCE_COLOR=1", "--color=auto", true},
		{"FORCE_COLOR=1", "--color=never", false}, {"FORCE_COLOR=0", "--color=auto", false},
	} {
		got := sh(t, t.TempDir(), []string{row.env}, tool.mtrace, "doctor", row.flag, "--no-self-test")
		if coloured := strings.Contains(got.stdout, "\x1b["); coloured != row.coloured {
			t.Errorf("%s %s: coloured %v", row.env, row.flag, coloured)
		}
	}
}

// TestHelpIsNotEmpty: no command prints a heading with nothing below it, and benchmarks can be listed.
func TestHelpIsNotEmpty(t *testing.T) {
	t.Parallel()
	for _, c := range commands() {
		if got := sh(t, "", nil, tool.mtrace, c.Name, "--help"); got.exit != 0 ||
			strings.HasSuffix(strings.TrimSpace(got.stdout), "Flags:") {
			t.Errorf("%s --help: %+v", c.Name, got)
		}
	}
	if got := sh(t, "", nil, tool.mtrace, "bench", "--list"); got.exit != 0 || strings.Count(got.stdout, "\n") < 10 ||
		!strings.HasPrefix(got.stdout, "scaling") {
		t.Errorf("bench --list: %+v", got)
	}
}
