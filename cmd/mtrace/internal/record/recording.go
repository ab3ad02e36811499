package record

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
)

// A Recording holds the flags that choose what the injected library records.
type Recording struct {
	onFull     string
	blockLimit time.Duration // longest time that a thread waits for space in its full ring buffer; 0 means no limit
	stacks     []string
	gpuTiming  string
	selfCheck  bool
	skip       []string // classes whose methods are not traced
}

// UsualRecording has the default values of the flags.
var UsualRecording = Recording{onFull: "drop", stacks: []string{"off"}, gpuTiming: "buffer"}

// stackKinds are the values of --stacks: off alone, or native, python or both.
var stackKinds = []string{"off", "native", "python"}

func (r *Recording) flags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&r.stacks, "stacks", UsualRecording.stacks,
		"record the stacks of commits, dispatches, waits and calls that create objects, with these `KINDS` of frames: "+
			"native, python, or native,python. "+
			"Native frames are found by unwind tables on Linux x86-64, elsewhere by frame pointers")
	flags.StringVar(&r.gpuTiming, "gpu-timing", UsualRecording.gpuTiming,
		"measure the GPU time of each `UNIT`: buffer (command buffer) or encoder, "+
			"which changes how encoders are created")
	flags.StringVar(&r.onFull, "on-full", UsualRecording.onFull,
		"`ACTION` when a thread's buffer of records is full: "+
			"drop records and count them, or block the thread until there is space")
	flags.DurationVar(&r.blockLimit, "block-limit", 0,
		"with --on-full block, wait at most this `TIME` each time, then drop and count; "+
			"0 means as long as mtrace exists, even if it is stopped")
	flags.StringSliceVar(&r.skip, "skip-class", nil,
		"do not trace the methods of `CLASS`, if tracing them makes a program fail; "+
			"MTLDebug* means all classes whose names begin with MTLDebug; repeatable")
	flags.BoolVar(&r.selfCheck, "self-check", false,
		"let the tracer make a known number of Metal calls before the program's first one, "+
			"and check that all are recorded")
}

func (r *Recording) check() error {
	switch {
	case r.onFull != "drop" && r.onFull != "block":
		return cli.UsageError("--on-full must be drop or block, not %q", r.onFull)
	case r.blockLimit < 0 || r.blockLimit%time.Millisecond != 0:
		return cli.UsageError("--block-limit must be whole milliseconds, like 500ms or 10s, not %v", r.blockLimit)
	case r.blockLimit > 0 && r.onFull != "block":
		return cli.UsageError("--block-limit requires --on-full block")
	case r.gpuTiming != "buffer" && r.gpuTiming != "encoder":
		return cli.UsageError("--gpu-timing must be buffer or encoder, not %q", r.gpuTiming)
	case slices.Contains(r.stacks, "off") && len(r.stacks) > 1:
		return cli.UsageError("--stacks off cannot be combined with other kinds, but %s was given",
			strings.Join(r.stacks, ","))
	}
	if err := checkSkipped(r.skip); err != nil {
		return err
	}
	for _, k := range r.stacks {
		if !slices.Contains(stackKinds, k) {
			return cli.UsageError("--stacks must be off, native, python, or native,python, not %q",
				strings.Join(r.stacks, ","))
		}
	}
	return nil
}

// longestSkipped is how many bytes the library's buffer for the names of --skip-class has.
const longestSkipped = 2047

func checkSkipped(names []string) error {
	for _, name := range names {
		stem := strings.TrimSuffix(name, "*")
		if name == "" || strings.ContainsFunc(stem, func(c rune) bool {
			return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c < 0x80
		}) {
			return cli.UsageError("--skip-class must be a class's name, or its beginning and *, not %q: "+
				"mtrace report lists the classes of a trace", name)
		}
	}
	if len(strings.Join(names, ",")) > longestSkipped {
		return cli.UsageError("the names of --skip-class have more than %d bytes together: combine several with *",
			longestSkipped)
	}
	return nil
}

// environment returns the options as environment variables for the injected library.
func (r *Recording) environment() []string {
	list := []string{"MTRACE_ON_FULL=" + r.onFull, "MTRACE_GPU_TIMING=" + r.gpuTiming, "MTRACE_STACKS=" +
		strings.Join(r.stacks, ",")}
	if r.blockLimit > 0 {
		list = append(list, "MTRACE_BLOCK_LIMIT_MS="+strconv.FormatInt(r.blockLimit.Milliseconds(), 10))
	}
	if len(r.skip) > 0 {
		list = append(list, "MTRACE_SKIP_CLASSES="+strings.Join(r.skip, ","))
	}
	if r.selfCheck {
		list = append(list, "MTRACE_SELF_CHECK=1")
	}
	return list
}
