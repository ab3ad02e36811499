package insight

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// compileInLoop finds compilations between two commits of a thread, which delay the thread's work. It ignores
// compilations on threads that never commit, because these delay nobody, and compilations before a thread's loop,
// because these are start-up.
func compileInLoop(in *Input) *Insight {
	var where sites
	seen := map[round]bool{}
	made, waits := 0, 0
	var cost analyze.Nanos
	for i := range in.Trace.Compilations {
		c := &in.Trace.Compilations[i]
		if c.Kind == "function" || c.Kind == "archive" || len(in.rounds.thread[c.Thread]) == 0 {
			continue
		}
		r, steady := in.rounds.steady(c.Thread, c.Begin)
		if !steady {
			continue
		}
		seen[r] = true
		switch c.Kind {
		case analyze.KindChildren:
			waits++
		case analyze.KindBackground: // counts as the call that requested the compilation
		default:
			made++
		}
		cost += c.Length()
		where.add(&c.Call, c.Selector, c.Name, 1, c.Length(), 0)
	}
	severity := in.weigh(cost)
	if made+waits == 0 || len(seen) < policy.RepeatedCompiles && severity == Info {
		return nil
	}
	what := libraries(made)
	if waits > 0 {
		what = fmt.Sprintf("%s, and child processes that compiled waited for %d times,", what, waits)
	}
	return &Insight{Severity: severity, Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf(
			"%s created between the commits of a loop, in %d of %d rounds of the creating threads; that took %s",
			what, len(seen), in.rounds.steadyRounds(seen), in.ofThreads(cost))}
}

func libraries(n int) string {
	if n == 1 {
		return "1 library or pipeline state was"
	}
	return fmt.Sprintf("%d libraries and pipeline states were", n)
}

// repeatedCompile finds sources, or functions of a source, that were compiled more than once.
func repeatedCompile(in *Input) *Insight {
	var where sites
	var cost analyze.Nanos
	for _, c := range in.Compile.Again {
		cost += c.Length()
		where.add(&c.Call, c.Selector, c.Name, 1, c.Length(), 0)
	}
	if len(in.Compile.Again) == 0 {
		return nil
	}
	i := &Insight{Severity: Info, Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf("%d of %d compilations repeat an earlier one of the same source or function; "+
			"that took %s",
			in.Compile.Repeated,
			in.Compile.Libraries+in.Compile.Pipelines, in.ofRun(cost))}
	if float64(cost) >= policy.WholeShareOfTime*float64(in.Trace.TimeRange.Length()) {
		i.Severity = Warning
	}
	if in.Compile.Hits > 0 {
		i.Evidence += fmt.Sprintf("; %d of them came from a cache", in.Compile.Hits)
	}
	return i
}
