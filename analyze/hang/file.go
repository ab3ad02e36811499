package hang

import "mtrace/analyze"

// mostRecords is how many records at the end of a file are loaded to look for a hang; more would take too long.
const mostRecords = 1 << 20

// fewRecords is how many records at the end of a long file are loaded first. Usually they show progress of each
// process, so that no hang is possible and no more needs to be loaded.
const fewRecords = 1 << 15

// Of looks for processes that hang at the end of a trace file, which may still be recorded. It loads only the end of
// a long file, so it does not know earlier signals and objects. Without pids it looks at all processes.
func Of(f *analyze.File, pids []int, o Options) (*Document, error) {
	return of(f, pids, o, fewRecords, mostRecords)
}

// of is Of with other numbers of records to load at the end of the file: `few` first, then `most`.
func of(f *analyze.File, pids []int, o Options, few, most int64) (*Document, error) {
	asked := analyze.Options{PIDs: pids}
	if parts := f.Ranges(asked, most); len(parts) > 1 {
		small := f.Ranges(asked, few)
		t, err := f.Load(small[len(small)-1])
		if err != nil {
			return nil, err
		}
		if len(quietProcesses(t, o)) == 0 {
			return (&Report{}).Document(t), nil
		}
		asked.From = parts[len(parts)-1].From
	}
	t, err := f.Load(asked)
	if err != nil {
		return nil, err
	}
	return Find(t, o).Document(t), nil
}
