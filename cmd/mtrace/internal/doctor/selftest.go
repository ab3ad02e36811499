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
)

// SelfTest runs the bundled Metal program without and with the tracer and
// compares what it says it did with what the tracer saw.
type SelfTest struct {
	Program string // mtrace-selftest
	Tool    string // mtrace itself
	// Preload is the software Metal for machines without one, or "".
	Preload string
	Environ []string
}

// selfTestLimit is far more than the fraction of a second the program takes.
const selfTestLimit = time.Minute

// said is what the program prints; see interpose/selftest/selftest.c.
type said struct {
	Schema         string  `json:"schema"`
	Device         string  `json:"device"`
	ResultRight    bool    `json:"result_right"`
	CommandBuffers int     `json:"command_buffers"`
	Completed      int     `json:"completed"`
	StartAfter     float64 `json:"gpu_start_after_commit_ns"`
	ReturnAfter    float64 `json:"return_after_gpu_end_ns"`
	Notify         float64 `json:"notify_median_ns"`
	Call           float64 `json:"call_median_ns"`
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

// Run makes both runs and returns one check for each question they answer.
func (s *SelfTest) Run() []Check {
	untraced, err := s.untraced()
	if err != nil {
		return []Check{{ID: "self-test", Status: Fail, Text: "the bundled Metal program does not run, even without the tracer: " + err.Error(),
			Advice: "without a working Metal there is nothing to trace"}}
	}
	folder, err := os.MkdirTemp("", "mtrace-doctor-")
	if err != nil {
		return []Check{{ID: "self-test", Status: Fail, Text: "no folder for the self-test's trace: " + err.Error()}}
	}
	defer os.RemoveAll(folder)
	trace := filepath.Join(folder, "selftest.mtrace")
	traced, err := s.traced(trace)
	if err != nil {
		return []Check{{ID: "self-test", Status: Fail, Text: "the bundled Metal program does not run under the tracer: " + err.Error(),
			Advice: "please report this with the output of mtrace doctor --json"}, untraced.classTable()}
	}
	seen, err := readTrace(trace)
	if err != nil {
		return []Check{{ID: "self-test", Status: Fail, Text: "the self-test's trace cannot be read: " + err.Error()}, untraced.classTable()}
	}
	return []Check{
		compareCalls(traced, seen), compareTimes(traced, seen), cost(untraced, traced, seen), nested(seen), untraced.classTable(),
	}
}

func (s *SelfTest) untraced() (*said, error) {
	environ := s.Environ
	if s.Preload != "" {
		environ = append(slices.Clone(environ), "LD_PRELOAD="+s.Preload)
	}
	return s.execute(environ, s.Program)
}

func (s *SelfTest) traced(trace string) (*said, error) {
	return s.execute(s.Environ, s.Tool, "run", "--no-report", "-o", trace, "--", s.Program)
}

func (s *SelfTest) execute(environ []string, name string, args ...string) (*said, error) {
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
	var result said
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		return nil, fmt.Errorf("its output is not what was expected: %w", err)
	}
	if result.Schema != "mtrace.selftest/1" {
		return nil, fmt.Errorf("its output is %q, not mtrace.selftest/1: tool and program are of different versions", result.Schema)
	}
	return &result, nil
}

// classTable lists the classes behind the objects and which of them implement
// each selector: what a driver that nobody has seen yet looks like.
func (r *said) classTable() Check {
	c := Check{ID: "classes", Status: Info, Data: map[string]any{"classes": r.Classes, "owners": r.Owners}}
	wrapped := 0
	for _, class := range r.Classes {
		c.Details = append(c.Details, class.Role+": "+strings.Join(class.Chain, " < "))
		for _, prefix := range []string{"MTLDebug", "MTLTools", "MTLGPUDebug", "CaptureMTL", "MTLTelemetry", "MTLCounters"} {
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
		c.Text += fmt.Sprintf(", %d of them behind a validation or capture layer", wrapped)
	}
	return c
}
