package record

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"mtrace/analyze/cause"
	"mtrace/analyze/replay"
	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
	"mtrace/cmd/mtrace/internal/show"
	"mtrace/collector/experiment"
)

// targetOfCause is the target of an experiment that measures whether progress depends on what a cause delays. Causes
// that are not in it delay the program by something that no call of its own stands for.
var targetOfCause = map[string]string{
	cause.DeviceWideSync: "wait", cause.GPUSaturated: "wait", cause.GPUBound: "wait", cause.QueueDepth: "wait",
	cause.HeadOfLine: "wait", cause.Polling: "own", cause.LockContention: "lock", cause.InterpreterLock: "own",
	cause.SingleSubmitter: "commit", cause.LaunchBound: "commit", cause.EventChain: "commit",
	cause.CompileBound: "compile", cause.AllocationBound: "allocate", cause.CompletionHandlers: "handler",
	cause.Starvation: "own", cause.Imbalance: "own", cause.CPUBound: "own",
}

// soFar is the report on the recording until now.
func (s *session) soFar() (*report.Report, error) {
	if s.file == nil || s.file.Kept {
		return nil, errors.New("the trace is not written to a local file that can be read meanwhile")
	}
	if err := s.writer.Flush(); err != nil {
		return nil, err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	r, _, err := show.BuildReport(&loading.Selection{}, cli.Stdio{Out: null, Err: null}, s.file.Path, report.Options{})
	return r, err
}

// promising returns all targets of an experiment. First are those that would help most, by the report on the first
// seconds.
func (s *session) promising() ([]experiment.Target, error) {
	r, err := s.soFar()
	if err != nil {
		return nil, err
	}
	return parsed(rankedTargets(r))
}

// rankedTargets are the targets' names.
func rankedTargets(r *report.Report) (names []string) {
	add := func(name string) {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	add(targetOfCause[r.Serialization.Verdict])
	for _, w := range r.WhatIf {
		switch w.What.Kind {
		case cause.KindCause:
			add(targetOfCause[w.What.Name])
		case replay.KindLock:
			add("lock")
		case replay.KindThread:
			add("own")
		case replay.KindCall:
			if name := experiment.Of(w.What.Name); slices.Contains(experiment.Names(), name) {
				add(name)
			}
		}
	}
	for _, name := range experiment.Names() {
		add(name)
	}
	return names
}

// ofVerdict returns the one target that verifies the verdict on the first seconds.
func (s *session) ofVerdict() ([]experiment.Target, error) {
	r, err := s.soFar()
	if err != nil {
		return nil, err
	}
	verdict := r.Serialization.Verdict
	name := targetOfCause[verdict]
	if name == "" {
		return nil, fmt.Errorf("the verdict on the first seconds is %s, and no delay of a call or lock verifies that",
			verdict)
	}
	return parsed([]string{name})
}

func parsed(names []string) (targets []experiment.Target, err error) {
	for _, name := range names {
		t, err := experiment.Parse(name)
		if err != nil {
			return nil, err
		}
		targets = append(targets, t)
	}
	return targets, nil
}
