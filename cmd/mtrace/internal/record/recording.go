package record

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
)

// A Recording has the options for the data that the library records of a program.
type Recording struct {
	onFull     string
	blockLimit time.Duration // 0 is none
	stacks     []string
	gpuTiming  string
	selfCheck  bool
	skip       []string // classes that are left alone
}

// UsualRecording has the default options.
var UsualRecording = Recording{onFull: "drop", stacks: []string{"off"}, gpuTiming: "buffer"}

// stackKinds are the values of --stacks: off alone, or one or both of the others.
var stackKinds = []string{"off", "native", "python"}

func (r *Recording) flags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&r.stacks, "stacks", UsualRecording.stacks,
		"record the stacks of calls, with these `KINDS` of frames: native (machine code, by unwind "+
			"tables on Linux x86-64, else by frame pointers), python, or both, native,python")
	flags.StringVar(&r.gpuTiming, "gpu-timing", UsualRecording.gpuTiming,
		"the smallest `UNIT` whose GPU time is measured: buffer, a command buffer; or encoder, "+
			"which changes how encoders are created")
	flags.StringVar(&r.onFull, "on-full", UsualRecording.onFull,
		"the `ACTION` when a thread's buffer is full: drop records and count them, or block the thread until there is space")
	flags.DurationVar(&r.blockLimit, "block-limit", 0,
		"with --on-full block, wait at most this `TIME` each time, then drop and count; 0 means as long as the "+
			"collector lives, even stopped")
	flags.StringSliceVar(&r.skip, "skip-class", nil,
		"do not hook the methods of `CLASS`, if hooking them makes a program fail; MTLDebug* means all classes whose names "+
			"begin so; may be given again")
	flags.BoolVar(&r.selfCheck, "self-check", false,
		"before the program's first Metal call, make a known number of calls on a queue of the tracer's own and compare "+
			"what is seen")
}

func (r *Recording) check() error {
	switch {
	case r.onFull != "drop" && r.onFull != "block":
		return cli.UsageError("--on-full is drop or block, not %q", r.onFull)
	case r.blockLimit < 0 || r.blockLimit%time.Millisecond != 0:
		return cli.UsageError("--block-limit is whole milliseconds, like 500ms or 10s, not %v", r.blockLimit)
	case r.blockLimit > 0 && r.onFull != "block":
		return cli.UsageError("--block-limit requires --on-full block")
	case r.gpuTiming != "buffer" && r.gpuTiming != "encoder":
		return cli.UsageError("--gpu-timing is buffer or encoder, not %q", r.gpuTiming)
	case slices.Contains(r.stacks, "off") && len(r.stacks) > 1:
		return cli.UsageError("--stacks off excludes other kinds, but %s was given", strings.Join(r.stacks, ","))
	}
	if err := checkSkipped(r.skip); err != nil {
		return err
	}
	for _, k := range r.stacks {
		if !slices.Contains(stackKinds, k) {
			return cli.UsageError("--stacks is off, native, python, or native,python; not %q", strings.Join(r.stacks, ","))
		}
	}
	return nil
}

// longestSkipped is the size of the library's buffer.
const longestSkipped = 2047

func checkSkipped(names []string) error {
	for _, name := range names {
		stem := strings.TrimSuffix(name, "*")
		if name == "" || strings.ContainsFunc(stem, func(c rune) bool {
			return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c < 0x80
		}) {
			return cli.UsageError("--skip-class is the name of a class, or its beginning and *, not %q: mtrace report lists the "+
				"classes of a trace", name)
		}
	}
	if len(strings.Join(names, ",")) > longestSkipped {
		return cli.UsageError("--skip-class names more than %d bytes of classes: use *", longestSkipped)
	}
	return nil
}

// environment passes the options to the library.
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
