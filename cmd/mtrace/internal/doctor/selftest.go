package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/interpose/inject"
)

// SelfTest runs mtrace-selftest, a Metal program that counts its own calls, without and with the tracer, and compares
// its counts with the trace.
type SelfTest struct {
	Program string // path of mtrace-selftest
	Tool    string // path of the mtrace executable
	Library string // path of the library to inject
	// Preload is the library that provides Metal on a machine without one; empty on macOS.
	Preload string
	Environ []string
}

// selfTestLimit is how long the self-test may run before it is killed as hung. It usually takes a fraction of a
// second.
const selfTestLimit = time.Minute

// selfTestOutput is the JSON that the self-test program prints. Its fields must match those that
// interpose/selftest/selftest.c writes.
type selfTestOutput struct {
	Schema         string  `json:"schema"`
	Device         string  `json:"device"`
	ResultRight    bool    `json:"result_right"`
	CommandBuffers int     `json:"command_buffers"`
	Completed      int     `json:"completed"`
	StartAfter     float64 `json:"gpu_start_after_commit_ns"`
	ReturnAfter    float64 `json:"return_after_gpu_end_ns"`
	Notify         float64 `json:"notify_median_ns"`
	Call           float64 `json:"call_median_ns"`
	FullQueue      float64 `json:"full_queue_ns"`
	Lock           float64 `json:"lock_ns"`
	Classes        []struct {
		Role  string   `json:"role"`
		Chain []string `json:"chain"`
	} `json:"classes"`
	Owners []struct {
		Role     string   `json:"role"`
		Selector string   `json:"selector"`
		Owners   []string `json:"owners"`
	} `json:"owners"`
	Calls []struct {
		Role     string `json:"role"`
		Selector string `json:"selector"`
		Count    uint64 `json:"count"`
	} `json:"calls"`
}

// Run runs the self-test without and with the tracer, and returns the results of all checks that compare the two.
func (s *SelfTest) Run() []Check {
	untraced, err := s.untraced()
	if err != nil {
		return []Check{{ID: "self-test", Status: Fail,
			Text:   "the bundled Metal program does not run, even without the tracer: " + err.Error(),
			Advice: "make Metal work on this machine first: a program that uses it fails without the tracer, too"}}
	}
	folder, err := os.MkdirTemp(collector.TemporaryFolder(), "mtrace-doctor-")
	if err != nil {
		return []Check{{ID: "self-test", Status: Fail,
			Text: "cannot create a folder for the self-test's trace: " + err.Error()}}
	}
	defer os.RemoveAll(folder)
	trace := filepath.Join(folder, "selftest.mtrace")
	traced, err := s.traced(trace)
	if err != nil {
		return []Check{{ID: "self-test", Status: Fail,
			Text: "the bundled Metal program does not run under the tracer: " +
				err.Error(),
			Advice: "please report this with the output of mtrace doctor --json"}, untraced.classTable()}
	}
	seen, err := readTrace(trace)
	if err != nil {
		return []Check{{ID: "self-test", Status: Fail, Text: "the self-test's trace cannot be read: " + err.Error()},
			untraced.classTable()}
	}
	return []Check{
		compareCalls(traced, seen), compareTimes(traced, seen), fullQueue(traced, seen), lock(traced, seen),
		cost(untraced, traced, seen), s.startCost(),
		coverage(seen), nested(seen), s.validated(folder), s.stacks(), s.encoderTiming(), untraced.classTable(),
	}
}

// validated repeats the traced run with Metal's API validation, which wraps every object in another one that forwards
// its calls. Each call must still be recorded once, not twice.
func (s *SelfTest) validated(folder string) Check {
	again := *s
	again.Environ = append(slices.Clone(s.Environ), "MTL_DEBUG_LAYER=1")
	trace := filepath.Join(folder, "validated.mtrace")
	traced, err := again.traced(trace)
	var seen *sight
	if err == nil {
		seen, err = readTrace(trace)
	}
	if err != nil {
		return Check{ID: "validation", Status: Warn, Text: "under MTL_DEBUG_LAYER=1 the self-test fails: " +
			err.Error(),
			Advice: "trace without Metal's API validation"}
	}
	c := compareCalls(traced, seen)
	c.ID, c.Text = "validation", "under MTL_DEBUG_LAYER=1: "+c.Text
	if c.Status == Fail {
		c.Status, c.Advice = Warn, "trace without Metal's API validation, "+
			"and please report this with the output of mtrace doctor --json"
	}
	return c
}

// idle is the JSON that the self-test program prints if it is run as `mtrace-selftest idle`, without using Metal.
type idle struct {
	Threads  int   `json:"threads"`
	Handlers []int `json:"handlers"` // signals with a handler
}

// startCost measures how much longer a program without Metal runs from start to end if the library is injected. On
// macOS the library makes dyld load Metal even into such a program.
func (s *SelfTest) startCost() Check {
	plan, err := inject.Prepare([]string{s.Program}, s.Library, s.Environ)
	if err != nil || plan.Variable == "" {
		return Check{ID: "start-cost", Status: Skipped, Text: "the library cannot be loaded"}
	}
	plain, alone, err := s.starts()
	var loaded time.Duration
	var with idle
	if err == nil {
		loaded, with, err = s.starts(plan.Variable)
	}
	if err != nil {
		return Check{ID: "start-cost", Status: Warn, Text: "a program without Metal does not run with the library: " +
			err.Error()}
	}
	c := Check{
		ID: "start-cost", Status: OK, Data: map[string]any{"plain_ns": plain, "with_library_ns": loaded, "plain": alone,
			"with_library": with},
		Text: fmt.Sprintf("a program without Metal starts and ends in %s, with the library in %s",
			nanosText(float64(plain)),
			nanosText(float64(loaded))),
	}
	if with.Threads > alone.Threads || len(with.Handlers) > len(alone.Handlers) {
		c.Status = Info
		c.Text += fmt.Sprintf("; the library adds %d threads and handlers for %d signals to it",
			with.Threads-alone.Threads, len(with.Handlers)-len(alone.Handlers))
	}
	return c
}

// starts runs `mtrace-selftest idle` nine times, with extra variables, and returns the median duration and the last
// output.
func (s *SelfTest) starts(extra ...string) (median time.Duration, state idle, err error) {
	const runs = 9
	var times []time.Duration
	for range runs {
		command := exec.Command(s.Program, "idle")
		command.Env = append(slices.Clone(s.Environ), extra...)
		begin := time.Now()
		output, err := command.Output()
		if err != nil {
			return 0, state, err
		}
		times = append(times, time.Since(begin))
		if err := json.Unmarshal(output, &state); err != nil {
			return 0, state, fmt.Errorf("its output is not what was expected: %w", err)
		}
	}
	slices.Sort(times)
	return times[runs/2], state, nil
}

func (s *SelfTest) untraced() (*selfTestOutput, error) {
	environ := s.Environ
	if s.Preload != "" {
		environ = append(slices.Clone(environ), "LD_PRELOAD="+s.Preload)
	}
	return s.execute(environ, s.Program)
}

func (s *SelfTest) traced(trace string) (*selfTestOutput, error) {
	return s.execute(s.Environ, s.Tool, "run", "--no-report", "--self-check", "-o", trace, "--", s.Program)
}

func (s *SelfTest) execute(environ []string, name string, args ...string) (*selfTestOutput, error) {
	ctx, cancel := context.WithTimeout(context.Background(), selfTestLimit)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Env = environ
	command.WaitDelay = time.Second
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("it did not end within %v", selfTestLimit)
		} else if line := firstLine(problems.String()); line != "" {
			err = errors.New(line)
		}
		return nil, err
	}
	var result selfTestOutput
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		return nil, fmt.Errorf("its output is not what was expected: %w", err)
	}
	if result.Schema != "mtrace.selftest/1" {
		return nil, fmt.Errorf("the schema is %q, not mtrace.selftest/1: mtrace and mtrace-selftest have different versions",
			result.Schema)
	}
	return &result, nil
}

// classTable lists the class chain of each kind of object, and which class implements each selector. Bug reports need
// it: the classes differ between GPU drivers.
func (r *selfTestOutput) classTable() Check {
	c := Check{ID: "classes", Status: Info, Data: map[string]any{"classes": r.Classes, "owners": r.Owners}}
	wrapped := 0
	for _, class := range r.Classes {
		c.Details = append(c.Details, class.Role+": "+strings.Join(class.Chain, " < "))
		for _, prefix := range []string{"MTLDebug", "MTLTools", "MTLGPUDebug", "CaptureMTL", "MTLTelemetry",
			"MTLCounters"} {
			if len(class.Chain) > 0 && strings.HasPrefix(class.Chain[0], prefix) {
				wrapped++
			}
		}
	}
	for _, owner := range r.Owners {
		c.Details = append(c.Details, owner.Role+" "+owner.Selector+" in "+strings.Join(owner.Owners, ", "))
	}
	c.Text = fmt.Sprintf("%s: %d kinds of objects", r.Device, len(r.Classes))
	if wrapped > 0 {
		c.Text += fmt.Sprintf(", %d of them wrapped by a validation or capture layer", wrapped)
	}
	return c
}

// A loading is the result of injecting the library into one Python interpreter.
type loading struct {
	loaded bool   // the library connected from the interpreter
	frames bool   // the library recorded the frames of Python functions
	why    string // why the frames could not be read, if the library reported a reason
}

// pythonProgram makes one Metal call from the function mtrace_doctor; without Metal it does nothing.
const pythonProgram = `
import sys
print(sys.executable)
def mtrace_doctor():
    import ctypes
    try: ctypes.CDLL("/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics")
    except OSError: pass
    metal = ctypes.CDLL("/System/Library/Frameworks/Metal.framework/Metal")
    objc = ctypes.CDLL("/usr/lib/libobjc.A.dylib")
    metal.MTLCreateSystemDefaultDevice.restype = objc.sel_registerName.restype = ctypes.c_void_p
    objc.sel_registerName.argtypes = [ctypes.c_char_p]
    device = metal.MTLCreateSystemDefaultDevice()
    send = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ulong,
                            ctypes.c_ulong)(("objc_msgSend", objc))
    if device: send(device, objc.sel_registerName(b"newBufferWithLength:options:"), 64, 0)
try: mtrace_doctor()
except (ImportError, OSError, AttributeError): pass
`

// loads runs a Python interpreter under the tracer, and returns whether the injected library connected from it and
// could read its function frames.
func (s *SelfTest) loads(interpreter string) (l loading) {
	folder, err := os.MkdirTemp(collector.TemporaryFolder(), "mtrace-doctor-")
	if err != nil {
		return l
	}
	defer os.RemoveAll(folder)
	trace := filepath.Join(folder, "python.mtrace")
	ctx, cancel := context.WithTimeout(context.Background(), selfTestLimit)
	defer cancel()
	command := exec.CommandContext(ctx, s.Tool, "run", "--no-report", "--stacks", "python", "-o", trace, "--",
		interpreter, "-c", pythonProgram)
	command.Env = s.Environ
	output, err := command.Output()
	if err != nil {
		return l
	}
	reader, err := tracefile.Open(trace)
	if err != nil {
		return l
	}
	defer reader.Close()
	executable := firstLine(string(output))
	for _, p := range reader.Processes() {
		l.loaded = l.loaded || sameProgram(p.Program, executable)
		for _, stack := range p.Code.Stacks {
			l.frames = l.frames || slices.ContainsFunc(stack.Python,
				func(f wire.PythonFrame) bool { return p.Strings[f.Function] == "mtrace_doctor" })
		}
		for _, w := range p.Warnings {
			if strings.HasPrefix(w, "no frames and no locks of Python") {
				l.why = w
			}
		}
	}
	return l
}

// sameProgram reports whether two paths are the same executable, after resolving links. A framework build of Python
// on macOS starts Python.app in its place, which counts as the same.
func sameProgram(a, b string) bool {
	if strings.Contains(a, "Python.app/") {
		return true
	}
	realA, errA := filepath.EvalSymlinks(a)
	realB, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && realA == realB
}
