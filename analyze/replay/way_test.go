package replay

import (
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
)

// The story: what a thread did behind a wait for a lock was cut down to what it usually does without one, each time that it took longer, though half of all
// times do by chance: taking a lock away that cost a twentieth was predicted to bring a fifth.
func TestChanceStaysWithoutLocks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var th thread
	var took analyze.Nanos
	for k := range 400 {
		own := analyze.Nanos(240_000 + random.Int64N(120_000))
		took += own
		if k%2 == 0 {
			th.ops = append(th.ops, op{kind: opLock, gap: own / 2, cost: 50_000})
			own -= own / 2
		}
		th.ops = append(th.ops, op{kind: opAcquire, gap: own})
	}
	p := &program{threads: []thread{th}}
	p.findUnlocked()
	var left analyze.Nanos
	for _, o := range p.threads[0].ops {
		left += o.unlocked
	}
	if off := float64(left)/float64(took) - 1; off < -0.015 || off > 0 {
		t.Errorf("without the lock threads take %+.1f %% of their own time more, want next to nothing: it does not go with the lock", 100*off)
	}
}
