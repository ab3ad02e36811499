package hang

import "mtrace/analyze"

// mostRecords is the maximum number of records that are loaded to look for a hang: the last ones of the file.
const mostRecords = 1 << 20

// Of looks for processes that hang at the end of a trace file, which may still be recorded. Of a long file it loads
// only the end, so signals and objects from before that range are not known.
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
