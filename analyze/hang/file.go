package hang

import "mtrace/analyze"

// mostRecords is how many records at the end of a file are loaded to look for a hang; more would take too long.
const mostRecords = 1 << 20

// Of looks for processes that hang at the end of a trace file, which may still be recorded. It loads only the end of
// a long file, so it does not know earlier signals and objects. Without pids it looks at all processes.
func Of(f *analyze.File, pids []int, o Options) (*Document, error) {
	asked := analyze.Options{PIDs: pids}
	if parts := f.Ranges(asked, mostRecords); len(parts) > 1 {
		asked.From = parts[len(parts)-1].From
	}
	t, err := f.Load(asked)
	if err != nil {
		return nil, err
	}
	return Find(t, o).Document(t), nil
}
