package compare

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"mtrace/cmd/mtrace/internal/bench"
)

// compare runs one untraced and one traced process per round. The order alternates between rounds, so that a drift of
// the machine affects both equally.
func (r *benchRunner) compare(run *bench.Run) error {
	for round := range run.Parameters.Rounds {
		for turn := range 2 {
			traced := turn != round%2
			label := "traced=no"
			if traced {
				label = "traced=yes"
			}
			r.say(fmt.Sprintf("%s: %s, round %d of %d", run.Bench.Name, label, round+1, run.Parameters.Rounds))
			if err := r.process(run, single(run.Parameters), bench.Process{Round: round, Label: label}, traced); err != nil {
				return err
			}
			if traced {
				if err := r.confirm(run, round); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// confirm compares the number of calls in the trace of the last traced process with the number that the process
// counted itself. If they differ by more than 1%, records were lost and the measured overhead would be too low.
func (r *benchRunner) confirm(run *bench.Run, round int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	out, err := exec.CommandContext(r.ctx, self, "report", "--json", r.trace(run, 0)).Output()
	if err != nil {
		return fmt.Errorf("cannot read the trace of a traced process: %w", err)
	}
	var report struct {
		Calls []struct {
			Selector string
			Count    int
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return fmt.Errorf("cannot read the report of a traced process: %w", err)
	}
	recorded := map[string]int{}
	for _, c := range report.Calls {
		recorded[c.Selector] += c.Count
	}
	for _, call := range []struct{ selector, metric string }{{"commit", "commits"},
		{"setComputePipelineState:", "pipelines_set"}} {
		made := run.Results.Find(run.Bench.Program, "made", "traced=yes").Series(call.metric)
		if made == nil || len(made.Rounds) <= round {
			return fmt.Errorf("rawmetal did not report how often it called %s, so the trace cannot be checked",
				call.selector)
		}
		want := made.Rounds[round][0]
		run.Results.Checks = append(run.Results.Checks, bench.Check{
			Bench: run.Bench.Name, Case: call.selector + " in the trace", Compared: 1,
			OK: float64(recorded[call.selector]) >= 0.99*want && float64(recorded[call.selector]) <= want,
			Detail: fmt.Sprintf(
				"only %d of %.0f calls were recorded, so the measured overhead is not that of a complete trace",
				recorded[call.selector], want),
		})
	}
	return nil
}
