package inject

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// maxHops limits how many programs are followed from the command to the final image. The longest realistic chain
// (script, env, shim, shell, wrapper, stub) has about eight.
const maxHops = 16

// invocation is one program that is about to be executed, with its arguments and environment.
type invocation struct {
	path string
	args []string
	env  environment
	via  string
	// machine is the slice of a universal file that arch(1) requests, "" if the kernel chooses.
	machine string
	// archArgs are the arguments of arch(1) up to the program's name, if arch starts the program.
	archArgs []string
	// observed is true if only an earlier program, such as uv run, can start this one. mtrace then checks whether this
	// program can load the tracing library, but starts the earlier program.
	observed bool
	// cleared is true if an earlier program removes the preload variable from the environment, as env -i does.
	cleared bool
}

// chain is the sequence of programs from the user's command to the final image, the program that does the work.
type chain struct {
	hops  []Hop
	steps []invocation // one per hop
	notes []Finding
}

func (c *chain) note(code Code, path, text, advice string) {
	c.notes = append(c.notes, Finding{Code: code, Path: path, Text: text, Advice: advice})
}

// follow looks up the command and the programs that it starts one after the other in its own process (exec), up to
// the last one. It returns the errors that the kernel would report for the command or for a script's interpreter. If
// a later program cannot start its successor, the chain just ends there: that program reports the error itself.
func (h Host) follow(command []string, env environment) (*chain, error) {
	path, err := h.lookup(command[0], env)
	if err != nil {
		return nil, err
	}
	c := &chain{}
	next := &invocation{path: path, args: command, env: env}
	for next != nil && len(c.hops) < maxHops {
		current := *next
		image := h.imageOf(current)
		c.hops = append(c.hops, Hop{Path: current.path, Args: current.args, Via: current.via, Image: image})
		c.steps = append(c.steps, current)
		if next, err = h.next(current, image, c); err != nil {
			return nil, err
		}
	}
	if next != nil {
		c.note(NotFollowed, command[0], "starts a chain of more programs than mtrace follows",
			"put mtrace run -- directly in front of the last program of the chain")
	}
	return c, nil
}

// imageOf describes the file of s, a program of the chain. If the file cannot be read or is damaged, the plan does not
// inject the library, and the kernel runs or refuses the file as without mtrace.
func (h Host) imageOf(s invocation) Image {
	full := h.absolute(s.path)
	if info, err := os.Stat(full); err == nil && info.IsDir() {
		return Image{Format: FormatBundle}
	}
	image, err := readImage(full, h, s.machine)
	switch {
	case errors.Is(err, errDamaged):
		image.problem = Finding{DamagedImage, s.path, err.Error(), "install the program again"}
	case err != nil:
		image.problem = Finding{UnreadableImage, s.path,
			"cannot be read, so mtrace cannot tell whether its library can be loaded: " +
				reason(err), "make it readable"}
	}
	return image
}

// next returns the program that s executes in its place, such as a script's interpreter; nil if s executes none.
func (h Host) next(s invocation, image Image, c *chain) (*invocation, error) {
	if image.problem.Code != "" {
		return nil, nil
	}
	switch image.Format {
	case FormatBundle:
		return nextInBundle(h, s)
	case FormatScript:
		return nextInScript(h, s)
	case FormatUnknown:
		return nextInText(h, s)
	}
	follower := h.followerOf(s)
	if follower == nil {
		return nil, nil
	}
	next, err := follower(h, s, c)
	if err != nil {
		c.note(NotFollowed, s.path, "mtrace cannot tell which program it starts: "+err.Error(),
			"put mtrace run -- directly in front of the program to trace")
		return nil, nil
	}
	if next != nil {
		next.observed = next.observed || s.observed
		if next.archArgs == nil {
			next.archArgs = s.archArgs
		}
		if next.machine == "" {
			next.machine = s.machine
		}
	}
	return next, nil
}

// nextInScript returns a script's interpreter, with the arguments that the kernel passes to it.
func nextInScript(h Host, s invocation) (*invocation, error) {
	head, err := readHead(h.absolute(s.path), darwinShebangBytes)
	if err != nil {
		return nil, nil
	}
	line, ok := parseShebang(head, h.OS)
	if !ok {
		return h.shellStep(s), nil
	}
	refused, err := h.executable(line.interpreter)
	if err != nil {
		return nil, &NotFoundError{Name: line.interpreter, From: s.path}
	}
	if refused != "" {
		return nil, &NotExecutableError{Path: line.interpreter, Reason: "the #! line of " + s.path + " names it and " +
			refused}
	}
	args := append([]string{line.interpreter}, line.args...)
	args = append(append(args, s.path), s.args[1:]...)
	next := s
	next.path, next.args, next.via = line.interpreter, args, "#! line"
	return &next, nil
}

// nextInText returns the shell for a text file without a #! line. No kernel executes such a file, but execvp lets the
// shell run it.
func nextInText(h Host, s invocation) (*invocation, error) {
	head, err := readHead(h.absolute(s.path), darwinShebangBytes)
	if err != nil {
		return nil, nil
	}
	if !looksLikeText(head) {
		return nil, &NotExecutableError{Path: s.path, Reason: "it is neither a program of a known format nor a script"}
	}
	return h.shellStep(s), nil
}

func (h Host) shellStep(s invocation) *invocation {
	next := s
	next.path, next.args, next.via = "/bin/sh", append([]string{"/bin/sh", s.path}, s.args[1:]...), viaShell
	return &next
}

// viaShell is the reason (field Via of a Hop) for running the shell: the file has no #! line, so the kernel cannot run
// it and execvp(3) passes it to the shell.
const viaShell = "no #! line"

// A follower returns the next program of the chain, which s executes in its place. It returns nil without an error if
// s executes none, or none that matters for tracing.
type follower func(h Host, s invocation, c *chain) (*invocation, error)

// followerOf chooses the follower (the function that finds the next program) by the name of s, such as env; nil if s is
// not known to start other programs.
func (h Host) followerOf(s invocation) follower {
	switch name := filepath.Base(s.path); {
	case name == "env" || name == "genv":
		return nextInEnv
	case name == "arch" && h.OS == "darwin":
		return nextInArch
	case isShell(name):
		return nextInShell
	case name == "uv":
		return nextInUV
	case isPython(name):
		return nextInPython
	}
	return nil
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "dash", "zsh", "ksh":
		return true
	}
	return false
}

func isPython(name string) bool {
	return strings.HasPrefix(strings.ToLower(name), "python") || strings.HasPrefix(name, "pypy")
}

func nextInEnv(h Host, s invocation, _ *chain) (*invocation, error) {
	command, env, err := followEnv(s.args, s.env)
	if err != nil {
		return nil, err
	}
	next, err := h.stepTo(s, command, env, "env")
	if err != nil {
		return nil, err
	}
	variable := preloadVariables(h.OS)[0]
	_, before, _ := followEnv(s.args, s.env.with(variable, "set"))
	_, kept := before.get(variable)
	next.cleared = !kept
	return next, nil
}

// stepTo looks up a command that s, a program of the chain, would execute, and returns it as the chain's next program.
func (h Host) stepTo(s invocation, command []string, env environment, via string) (*invocation, error) {
	path, err := h.lookup(command[0], env)
	if err != nil {
		return nil, err
	}
	next := s
	next.path, next.args, next.env, next.via = path, command, env, via
	return &next, nil
}

// nextInShell returns the program that a shell script starts, if starting it is the script's only command.
func nextInShell(h Host, s invocation, _ *chain) (*invocation, error) {
	if len(s.args) < 2 || strings.HasPrefix(s.args[1], "-") || strings.HasPrefix(s.args[1], "+") {
		return nil, nil
	}
	script := s.args[1]
	content, err := readHead(h.absolute(script), maxWrapper)
	if err != nil {
		return nil, nil // the shell will say so
	}
	if next, err := nextInAsdf(h, s, script, content); next != nil || err != nil {
		return next, err
	}
	if w, ok := parseWrapper(content, script, s.args[2:]); ok {
		env := s.env
		for _, setting := range w.settings {
			name, value, _ := strings.Cut(setting, "=")
			env = env.with(name, value)
		}
		return h.stepTo(s, w.command, env, "exec in a shell script")
	}
	return nextInShim(h, s, script, content)
}
