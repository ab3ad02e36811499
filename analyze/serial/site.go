package serial

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// what threads do at the place where a cause costs them time, and of which part of the partition the calls there are; waits are
// analyze.PartCount.
var atSite = map[string]struct {
	part analyze.Part
	verb string
}{
	DeviceWideSync:     {analyze.PartCount, "wait"},
	GPUSaturated:       {analyze.PartCount, "wait"},
	GPUBound:           {analyze.PartCount, "wait"},
	SingleSubmitter:    {analyze.PartCount, "wait"},
	EventChain:         {analyze.PartCount, "wait"},
	HeadOfLine:         {analyze.PartCount, "wait"},
	CompletionHandlers: {analyze.PartCount, "wait"},
	ForeignGPULoad:     {analyze.PartCount, "wait"},
	LaunchBound:        {analyze.PartCount, "wait"},
	LockContention:     {analyze.PartLock, "wait for a lock"},
	InterpreterLock:    {analyze.PartLock, "wait for a lock"},
	QueueDepth:         {analyze.PartAcquire, "wait for a command buffer"},
	CompileBound:       {analyze.PartCompile, "compile"},
}

// nameSites tells where in the program the causes that hold cost their time. It says nothing when stacks were not recorded.
func (a *Analysis) nameSites() {
	for i := range a.Verdict.Causes {
		c := &a.Verdict.Causes[i]
		at, known := atSite[c.Cause]
		if !known {
			continue
		}
		part := at.part
		if c.Cause == LockContention && (c.inCommit || c.turns) {
			part, at.verb = analyze.PartCommit, "commit"
		}
		sites := a.Trace.CallSites(func(s *analyze.CallStat) bool { return s.Part == part })
		total := analyze.Nanos(0)
		for _, s := range sites {
			total += s.Time
		}
		for _, s := range sites[:min(len(sites), policy.MostSites)] {
			if s.Time == 0 || share(s.Time, total) < policy.WorthNaming.Value {
				continue
			}
			c.say("%s", siteText(&s, at.verb, share(s.Time, total)))
		}
	}
}

// siteText is "12 threads wait in train.py:42 step(), for 80 % of the time of such calls".
func siteText(s *analyze.CallSite, verb string, part float64) string {
	who := plural(len(s.Threads), "thread")
	if len(s.Threads) == 1 {
		first, rest, _ := strings.Cut(verb, " ")
		verb = strings.TrimSpace(first + "s " + rest)
	}
	return fmt.Sprintf("%s %s in %s (%s, %s in all, %s of the time of such calls)", who, verb, s.Frame, s.Selector, s.Time, percent(part))
}
