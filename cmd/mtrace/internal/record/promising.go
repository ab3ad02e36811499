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

// targetOfCause maps a cause to the target (calls or waits) whose delay tests it in an experiment. A cause without an
// entry is not about calls of the program, so no delay can test it.
var targetOfCause = map[string]string{
	cause.DeviceWideSync: "wait", cause.GPUSaturated: "wait", cause.GPUBound: "wait", cause.QueueDepth: "wait",
	cause.HeadOfLine: "wait", cause.Polling: "own", cause.LockContention: "lock", cause.InterpreterLock: "own",
	cause.SingleSubmitter: "commit", cause.LaunchBound: "commit", cause.EventChain: "commit",
	cause.CompileBound: "compile", cause.AllocationBound: "allocate", cause.CompletionHandlers: "handler",
	cause.Starvation: "own", cause.Imbalance: "own", cause.CPUBound: "own",
}

// soFar builds the report on what was recorded until now, while the program runs.
func (s *session) soFar() (*report.Report, error) {
	if s.file == nil || s.file.Kept {
		return nil, errors.New("the trace is not written to a local file, so it cannot be read during the run")
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

// promising returns all targets of an experiment. A report on the first seconds ranks them: the targets that would
// help most come first.
func (s *session) promising() ([]experiment.Target, error) {
	r, err := s.soFar()
	if err != nil {
		return nil, err
	}
	return parsed(rankedTargets(r))
}

// rankedTargets returns the names of all targets: first the verdict's, then those in the report's predictions, then
// the others.
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

// ofVerdict returns the target whose delay tests the verdict of a report on the first seconds. It is an error if no
// delay can test that verdict.
func (s *session) ofVerdict() ([]experiment.Target, error) {
	r, err := s.soFar()
	if err != nil {
		return nil, err
	}
	verdict := r.Serialization.Verdict
	name := targetOfCause[verdict]
	if name == "" {
		return nil, fmt.Errorf("the verdict on the first seconds is %s, which no delay of a call or lock can confirm",
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
