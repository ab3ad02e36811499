package path

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// The roots of chains of waits.
const (
	RootGPU     = "gpu"     // work on the GPU
	RootRunning = "running" // a thread that was running
	RootUnknown = "unknown"
)

// A Chain is a sequence of threads in which each waited for the next, up to the root. The root says what the last
// thread did: it ran, or it waited for something other than a thread.
type Chain struct {
	Threads []*analyze.Thread // each thread waited for the next one
	Root    string
	Time    analyze.Nanos // total time that the first thread waited
	Waits   int
}

// chains follows each wait for another thread to its root and sums equal chains. Chains of two threads are left out,
// because the matrix of waits shows them already.
func chains(ev *evidence.Evidence, blocks map[*analyze.Thread][]block) []Chain {
	by := map[[policy.LongestWaitChain + 1]uint64]*Chain{}
	var order [][policy.LongestWaitChain + 1]uint64
	for _, t := range ev.Times.Threads {
		for i := range blocks[t.Thread] {
			b := &blocks[t.Thread][i]
			chain := Chain{Threads: []*analyze.Thread{t.Thread}, Root: RootUnknown, Time: b.Length(), Waits: 1}
			if b.awaited(t.Thread) == nil {
				continue
			}
			chain.follow(b, blocks)
			if len(chain.Threads) < policy.ShortestChain {
				continue
			}
			var key [policy.LongestWaitChain + 1]uint64
			for k, th := range chain.Threads {
				key[k] = uint64(th.ID)
			}
			key[policy.LongestWaitChain] = uint64(len(chain.Root))
			if sum := by[key]; sum != nil {
				sum.Time += chain.Time
				sum.Waits++
			} else {
				by[key] = &chain
				order = append(order, key)
			}
		}
	}
	var list []Chain
	for _, key := range order {
		list = append(list, *by[key])
	}
	slices.SortStableFunc(list, func(x, y Chain) int { return cmp.Compare(y.Time, x.Time) })
	return list[:min(len(list), policy.MostChains)]
}

// awaited returns the other thread for which the blocked thread `self` waits; nil if it waits for something else or
// the thread is not known.
func (b *block) awaited(self *analyze.Thread) *analyze.Thread {
	switch b.kind {
	case blockLock:
		if b.holder != self {
			return b.holder
		}
	case blockSignal:
		if b.handed { // if false, the thread was idle: it waited for new work, and not for a certain thread
			return b.holder
		}
	case blockWait:
		if b.holder != self {
			return b.holder
		}
	}
	return nil
}

// follow extends the chain with the thread for which block b waits, and then with the thread for which that thread
// waits, as long as each was blocked for most of the time. It ends at a thread that was running or waited for no
// thread.
func (c *Chain) follow(b *block, blocks map[*analyze.Thread][]block) {
	at := b.Interval
	for len(c.Threads) < policy.LongestWaitChain {
		self := c.Threads[len(c.Threads)-1]
		next := b.awaited(self)
		if next == nil || slices.Contains(c.Threads, next) {
			c.Root = rootOf(b)
			return
		}
		c.Threads = append(c.Threads, next)
		held := longest(blocks[next], at)
		if held == nil {
			c.Root = RootRunning
			if b.kind == blockWait && b.buffer != nil && policy.MoreThan(policy.Majority, b.buffer.GPU.Intersect(at).Length(),
				at.Length()) {
				c.Root = RootGPU
			}
			return
		}
		at, b = at.Intersect(held.Interval), held
	}
}

// rootOf returns the root of a chain that ends with block `b`, which does not wait for another thread.
func rootOf(b *block) string {
	switch {
	case b.kind == blockWait && b.buffer != nil && b.buffer.GPU.Known(), b.kind == blockSlot:
		return RootGPU
	case b.kind == blockCompile:
		return RootRunning
	}
	return RootUnknown
}

// longest returns the block (time in which a thread waited or compiled) that covers more than policy.Majority of the
// interval `i`; nil if there is none. `list` has the blocks of one thread, in order of time.
func longest(list []block, i analyze.Interval) *block {
	for b := lastBlock(list, i.End); b != nil; b = lastBlock(list, b.Begin) {
		if policy.MoreThan(policy.Majority, b.Interval.Intersect(i).Length(), i.Length()) {
			return b
		}
		if b.End <= i.Begin {
			return nil
		}
	}
	return nil
}
