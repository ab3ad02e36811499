package report

import (
	"path"
	"slices"
	"strconv"

	"mtrace/analyze"
)

// A ThreadPattern selects threads by their ID, or by their name with the wildcards * and ?.
type ThreadPattern string

// Check returns path.ErrBadPattern if the pattern is malformed, and nil otherwise.
func (p ThreadPattern) Check() error {
	_, err := path.Match(string(p), "")
	return err
}

// Matches reports whether the pattern selects a thread: it is the thread's ID, or it matches the thread's name.
func (p ThreadPattern) Matches(id analyze.ThreadID, name string) bool {
	if n, err := strconv.ParseUint(string(p), 10, 64); err == nil && analyze.ThreadID(n) == id {
		return true
	}
	found, err := path.Match(string(p), name)
	return err == nil && found
}

// lists reports whether the user's --thread patterns select the thread; without patterns, all are selected.
func (o *Options) lists(t *analyze.Thread) bool {
	return len(o.Threads) == 0 || slices.ContainsFunc(o.Threads,
		func(p ThreadPattern) bool { return p.Matches(t.ID, t.Name) })
}

// about returns the part of a matrix that concerns listed threads: only waits in which a listed thread waited or was
// waited for.
func (m Matrix) about(listed func(i int) bool) Matrix {
	kept := Matrix{TIDs: []uint64{}, NS: [][]int64{}}
	var places []int
	for i := range m.TIDs {
		with := listed(i)
		for j := range m.TIDs {
			with = with || listed(j) && m.NS[i][j]+m.NS[j][i] > 0
		}
		if with {
			places = append(places, i)
		}
	}
	for _, i := range places {
		row := []int64{}
		for _, j := range places {
			n := int64(0)
			if listed(i) || listed(j) {
				n = m.NS[i][j]
			}
			row = append(row, n)
		}
		kept.TIDs, kept.NS = append(kept.TIDs, m.TIDs[i]), append(kept.NS, row)
	}
	return kept
}
