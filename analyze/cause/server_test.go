package cause_test

import (
	"testing"

	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// A serving program has clients that prepare a request, perhaps under a lock, and servers that submit the GPU work
// for requests and answer them.
type serving struct {
	clients, servers, most int
	works                  int64 // of a client, for each request
	allocates              int64 // of a client, under a lock that all clients share and the tracer does not see
	holds                  int64 // computation of a client, under a lock that the tracer sees
	source                 int64 // time in which another process makes a client's next input
	overhead               int64 // of a server, for each command buffer
	gpu, each              int64 // GPU time of a command buffer, and for each of its requests
	handler                int64 // length of the completion handler
	engines                int   // 0 means 8
	direct                 bool  // each client submits for itself
}

// sim returns the simulated program. The run ends when the clients have made 1,200 requests together.
func (p serving) sim() *tracesim.Sim {
	engines := p.engines
	if engines == 0 {
		engines = 8
	}
	s := tracesim.NewSim(engines, 5)
	s.Make = p.allocates
	desk, lock, left, asking := &tracesim.Desk{}, &tracesim.Lock{Seen: p.holds > 0}, 1200, p.clients
	submit := func(t *tracesim.Thread, q *tracesim.Queue, requests int) {
		t.Work(p.overhead)
		b := t.CommandBuffer(q)
		t.Encode(b, "batch", p.gpu+p.each*int64(requests))
		if p.handler > 0 {
			t.Handler(b, p.handler)
		}
		t.Commit(b)
		t.Wait(b)
	}
	for range p.clients {
		q, source := s.NewQueue("", 0), &tracesim.Source{Period: p.source}
		s.Thread(func(t *tracesim.Thread) {
			for left > 0 {
				left--
				t.Sleep(p.works)
				if p.source > 0 {
					source.Read(t)
				}
				if p.allocates+p.holds > 0 {
					t.Lock(lock)
					if p.allocates > 0 {
						t.Allocate(1<<20, 0x100000)
					}
					t.Sleep(p.holds)
					t.Unlock(lock)
				}
				if p.direct {
					submit(t, q, 1)
				} else {
					desk.Ask(t)
				}
			}
			if asking--; asking == 0 {
				desk.Close()
			}
		})
	}
	for range p.servers {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for {
				list := desk.Serve(t, p.most)
				if len(list) == 0 {
					return
				}
				submit(t, q, len(list))
				desk.Answer(t, list)
			}
		})
	}
	return s
}

// gain returns how many times as fast the changed program is.
func (p serving) gain(t *testing.T, changed serving) float64 {
	with, without := p.sim(), changed.sim()
	with.Run(t)
	without.Run(t)
	return float64(with.Truth.Finished-with.Truth.Started) / float64(without.Truth.Finished-without.Truth.Started)
}

// TestClientsOfAServer tells of clients that allocated memory under a lock before each request, or computed there.
// The verdict was none: clients commit nothing, and the server's thread had work in flight for half of its time.
func TestClientsOfAServer(t *testing.T) {
	for _, c := range []struct {
		name  string
		made  serving
		cured func(*serving)
		want  string
	}{
		{"allocation", serving{clients: 5, servers: 1, most: 1, works: 100 * us, allocates: 500 * us, overhead: 20 * us,
			gpu: 300 * us}, func(p *serving) { p.allocates = 0 }, cause.AllocationBound},
		{"lock", serving{clients: 6, servers: 1, most: 1, works: 100 * us, holds: 400 * us, overhead: 20 * us,
			gpu: 250 * us}, func(p *serving) { p.works, p.holds = p.works+p.holds, 0 }, cause.LockContention},
	} {
		t.Run(c.name, func(t *testing.T) {
			cured := c.made
			c.cured(&cured)
			if gain := c.made.gain(t, cured); gain < 1.2 {
				t.Fatalf("the program gains only %.2f", gain)
			}
			if v := cause.Analyze(load(t, c.made.sim().Run(t)), cause.Options{}).Verdict; v.Cause != c.want {
				t.Errorf("%s, want %s: %s", v.Cause, c.want, v.Summary)
			}
		})
	}
}

// TestPoolOfServers tells of two server threads that submit for all clients. Half of the commits were each thread's, so
// none was the single submitter: such programs were judged none, gpu-bound or completion-handlers although direct
// submission made them 1.3 to 2.8 times as fast.
func TestPoolOfServers(t *testing.T) {
	for _, c := range []struct {
		name string
		made serving
	}{
		{"quick clients", serving{clients: 7, servers: 2, most: 1, works: 200 * us, overhead: 150 * us, gpu: 150 * us}},
		{"GPU mostly busy", serving{clients: 7, servers: 2, most: 1, works: 120 * us, overhead: 30 * us, gpu: 380 * us}},
		{"slow handlers", serving{clients: 5, servers: 2, most: 1, works: 60 * us, overhead: 60 * us, gpu: 200 * us,
			handler: 130 * us}},
	} {
		t.Run(c.name, func(t *testing.T) {
			direct := c.made
			direct.direct = true
			trace := load(t, c.made.sim().Run(t))
			gain, v := c.made.gain(t, direct), cause.Analyze(trace, cause.Options{}).Verdict
			if v.Cause != cause.SingleSubmitter || v.Causes[0].Speedup == nil {
				t.Fatalf("%s: %s", v.Cause, v.Summary)
			}
			if s := v.Causes[0].Speedup; gain < s.Low || gain > s.High || s.Estimate < 0.8*gain || s.Estimate > 1.25*gain {
				t.Errorf("predicted %.2f (%.2f to %.2f), direct submission makes it %.2f times as fast", s.Estimate, s.Low,
					s.High, gain)
			}
		})
	}
}

// TestClientsWithSlowInput tells of clients that read the input for each request from another process, which is slower
// than the servers. The time that they waited for input was replayed as recorded, so direct submission was predicted to
// make them 2.5 times as fast. But if the answer comes sooner, they only wait longer for the next input.
func TestClientsWithSlowInput(t *testing.T) {
	made := serving{clients: 4, servers: 2, most: 1, works: 100 * us, source: 1000 * us, overhead: 100 * us, gpu: 250 * us}
	direct, fed := made, made
	direct.direct, fed.source = true, 0
	a := cause.Analyze(load(t, made.sim().Run(t)), cause.Options{})
	if a.Verdict.Cause != cause.Starvation {
		t.Errorf("%s: %s", a.Verdict.Cause, a.Verdict.Summary)
	}
	predicted := 0
	for _, f := range a.Verdict.Causes {
		gain := 0.0
		switch f.Cause {
		case cause.SingleSubmitter:
			gain = made.gain(t, direct)
		case cause.Starvation:
			gain = made.gain(t, fed)
		default:
			continue
		}
		if predicted++; f.Speedup == nil || gain < f.Speedup.Low || gain > f.Speedup.High {
			t.Errorf("%s: predicted %+v %s, but the program is %.2f times as fast without it", f.Cause, f.Speedup, f.Unpredicted,
				gain)
		}
	}
	if predicted != 2 {
		t.Errorf("%d predictions: %+v", predicted, a.Verdict.Causes)
	}
}
