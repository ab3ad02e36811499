package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// stacks traces the self-test with --stacks native and checks that at least 90% of the stacks go beyond the calling
// function. The self-test is compiled with frame pointers, so shorter stacks mean that unwinding fails.
func (s *SelfTest) stacks() Check {
	var seen, deep, longest, addresses, named int
	err := s.option(func(r *tracefile.Reader) {
		for _, p := range r.Processes() {
			known := map[uint64]bool{}
			for _, stack := range p.Code.Stacks {
				if len(stack.Native) == 0 || !slices.ContainsFunc(p.Code.Images, func(i wire.Image) bool {
					return i.Path == p.Program &&
						i.Contains(stack.Native[0]-1)
				}) {
					continue // the call was made by a library
				}
				seen++
				longest = max(longest, len(stack.Native))
				if len(stack.Native) > 1 && !p.Code.Symbols[stack.Native[1]].NoCall {
					deep++
				}
				for _, a := range stack.Native {
					known[a] = true
				}
			}
			addresses += len(known)
			for a := range known {
				if p.Code.Symbols[a].Name != "" {
					named++
				}
			}
		}
	}, "--stacks", "native")
	c := Check{ID: "stacks", Status: OK, Data: map[string]any{"stacks": seen, "beyond_caller": deep, "longest": longest,
		"addresses": addresses, "named": named}}
	c.Text = fmt.Sprintf("%d of %d native stacks go beyond the calling function, up to %d frames; "+
		"%d of %d functions have names", deep, seen, longest, named, addresses)
	switch {
	case err != nil:
		c.Status, c.Text, c.Advice = Warn, "with --stacks native the self-test fails: "+err.Error(),
			"trace without --stacks, and please report this with the output of mtrace doctor --json"
	case seen == 0 || deep < seen*9/10:
		c.Status, c.Advice = Warn, "stacks will show only the calling function: "+
			"the program or its libraries have no frame pointers; build them with -fno-omit-frame-pointer"
	}
	return c
}

// encoderTiming traces the self-test with --gpu-timing encoder and reports whether this device can measure the GPU
// time of single encoders; otherwise reports estimate it.
func (s *SelfTest) encoderTiming() Check {
	var made, measured int
	var reasons []string
	outcomes := map[string]int{}
	err := s.option(func(r *tracefile.Reader) {
		for _, p := range r.Processes() {
			for _, w := range p.Warnings {
				if _, why, is := strings.Cut(w, "GPU times of encoders are estimated: "); is && !slices.Contains(reasons, why) {
					reasons = append(reasons, why)
				}
			}
		}
		for _, stream := range r.Streams() {
			r.Read(stream, func(records []wire.Record) error {
				for _, record := range records {
					if record.Call == wire.CallEncoderTimes {
						outcomes[wire.Sampling(record.Arg).String()]++
					} else if row := record.Call.Row(); row.Family == wire.FamilyCommandBuffer && row.Makes(wire.KindEncoder) &&
						record.Arg != 0 {
						made++
					}
				}
				return nil
			})
		}
	}, "--gpu-timing", "encoder")
	measured = outcomes[wire.SamplingMeasured.String()]
	c := Check{ID: "encoder-timing", Status: OK, Data: map[string]any{"encoders": made, "measured": measured,
		"outcomes": outcomes, "reasons": reasons}}
	c.Text = fmt.Sprintf("the GPU time of %[2]d of %[1]d encoders was measured", made, measured)
	switch {
	case err != nil:
		c.Status, c.Text, c.Advice = Warn, "with --gpu-timing encoder the self-test fails: "+err.Error(),
			"trace without --gpu-timing encoder, and please report this with the output of mtrace doctor --json"
	case len(reasons) > 0:
		c.Status, c.Text = Info, "GPU times of encoders will be estimated: "+strings.Join(reasons, "; ")
	case measured == 0 && made > 0:
		c.Status, c.Advice = Warn, "GPU times of encoders will be estimated; "+
			"please report this with the output of mtrace doctor --json"
	}
	return c
}

// option traces the self-test with additional flags of mtrace run, and calls read with the trace.
func (s *SelfTest) option(read func(*tracefile.Reader), flags ...string) error {
	folder, err := os.MkdirTemp(collector.TemporaryFolder(), "mtrace-doctor-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	trace := filepath.Join(folder, "option.mtrace")
	if _, err := s.execute(s.Environ, s.Tool, append(append([]string{"run", "--no-report", "-o", trace}, flags...), "--",
		s.Program)...); err != nil {
		return err
	}
	r, err := tracefile.Open(trace)
	if err != nil {
		return err
	}
	defer r.Close()
	read(r)
	return nil
}
