package insight

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/compile"
	"mtrace/analyze/kernels"
	"mtrace/analyze/memory"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

const (
	us = 1_000
	ms = 1_000_000
)

// look runs a program of one thread on a simulated Metal and returns the insights.
func look(t *testing.T, engines int, script func(s *tracesim.Sim, q *tracesim.Queue,
	th *tracesim.Thread)) map[string]Insight {
	t.Helper()
	return lookIn(t, tracesim.NewSim(engines, 1), script)
}

// lookIn is look in a simulation with other settings.
func lookIn(t *testing.T, s *tracesim.Sim, script func(s *tracesim.Sim, q *tracesim.Queue,
	th *tracesim.Thread)) map[string]Insight {
	t.Helper()
	q := s.NewQueue("work", 0)
	s.Thread(func(th *tracesim.Thread) { script(s, q, th) })
	trace, err := analyze.Load(s.Run(t), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := cause.Analyze(trace, cause.Options{})
	ks := kernels.Summarize(trace)
	found := map[string]Insight{}
	for _, i := range Find(&Input{Trace: trace, Analysis: a, Kernels: ks, Fusions: kernels.Fusions(trace, ks,
		kernels.LaunchCosts{Launch: a.Evidence.Launch.Time, Dispatch: a.Evidence.Times.DispatchTime()}),
		Compile: compile.Summarize(trace), Memory: memory.Summarize(trace)}) {
		found[i.ID] = i
	}
	return found
}

func iterate(th *tracesim.Thread, q *tracesim.Queue, gpu int64, kernels ...string) *tracesim.Buffer {
	b := th.CommandBuffer(q)
	for _, k := range kernels {
		th.Encode(b, k, gpu/int64(len(kernels)))
	}
	th.Commit(b)
	return b
}

// TestInsights: each habit is found in a program that has it, with its numbers, and not in one that narrowly does not.
func TestInsights(t *testing.T) {
	type script = func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread)
	work := func(th *tracesim.Thread, q *tracesim.Queue) { th.Wait(iterate(th, q, 400*us, "step")) }
	for _, c := range []struct {
		id, severity string
		evidence     []string // of the program that has the habit
		where        string
		has          script
		not          map[string]script
	}{
		{"compile-in-loop", Warning, []string{"50 libraries and pipeline states were created", "in 50 of 50 rounds",
			"% of the threads' time"},
			"newComputePipelineStateWithFunction:error: by thread 201 worker 1, 50 times",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for i := range 60 {
					th.Compile(strings.Repeat("k", i+1), 300*us)
					work(th, q)
				}
			}, map[string]script{
				"when it is first needed": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for i := range 60 {
						if i < 8 {
							th.Compile(strings.Repeat("k", i+1), 5*ms)
						}
						work(th, q)
					}
				},
				"once, and soon done": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for i := range 60 {
						if i == 30 {
							th.Compile("late", 100*us)
						}
						work(th, q)
					}
				},
			}},
		{"repeated-compile", Warning, []string{"9 of 11 compilations repeat"},
			"newComputePipelineStateWithFunction:error: of again by thread 201 worker 1, 9 times",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for range 10 {
					th.Compile("again", 300*us)
				}
				for range 30 {
					work(th, q)
				}
			}, map[string]script{"different ones": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for i := range 10 {
					th.Compile(strings.Repeat("k", i+1), 300*us)
				}
				for range 30 {
					work(th, q)
				}
			}}},
		{"allocation-in-loop", Warning, []string{"50 buffers, textures or heaps of 200 KiB", "in 50 of 50 rounds",
			"1.0 for each"},
			"newBufferWithLength:options: of 4.00 KiB, shared by thread 201 worker 1, 50 times, 200 KiB",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for i := range 60 {
					th.Allocate(4096, uint64(0x1000*(i+1)))
					work(th, q)
				}
			}, map[string]script{
				"a second set-up": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for i := range 60 {
						for k := range 100 {
							if i == 30 {
								th.Allocate(4096, uint64(0x1000*(k+1)))
							}
						}
						work(th, q)
					}
				},
				"from a heap": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for range 60 {
						th.MakeOf(wire.FamilyHeap, "newBufferWithLength:options:", 4096)
						work(th, q)
					}
				},
				"in each fifth": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for i := range 60 {
						if i%5 == 0 {
							th.Allocate(4096, uint64(0x1000*(i+1)))
						}
						work(th, q)
					}
				},
			}},
		{"memory-growth", Warning, []string{"of 50 allocations made after the start were not freed",
			"MiB of it in the last third"}, "newBufferWithLength:options: of 4.00 MiB, shared by thread 201",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for i := range 60 {
					b := th.Make(4<<20, 0, tracesim.Shared)
					if i%2 == 0 {
						th.Release(b)
					}
					work(th, q)
				}
			}, map[string]script{
				"all given back": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for range 60 {
						b := th.Make(4<<20, 0, tracesim.Shared)
						work(th, q)
						th.Release(b)
					}
				},
				"the same places again": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for i := range 60 {
						th.Allocate(4<<20, uint64(0x1000*(i%3+1)))
						work(th, q)
					}
				},
				"a pool that is full": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for i := range 60 {
						if i < 40 {
							th.Allocate(4<<20, uint64(0x1000*(i+1)))
						}
						work(th, q)
					}
				},
			}},
		{"wait-after-commit", Info,
			[]string{"59 of 59 times 1 thread waited", "starting the work and waking the threads took"},
			"waitUntilCompleted by thread 201 worker 1, 59 times",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for range 60 {
					work(th, q)
				}
			}, map[string]script{"two in flight": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				last := iterate(th, q, 400*us, "step")
				for range 60 {
					b := iterate(th, q, 400*us, "step")
					th.Wait(last)
					last = b
				}
			}}},
		{"tiny-command-buffers", Warning, []string{"60 of 60 command buffers", "the mean of all is 8.0",
			"submission and completion notification of each take"}, "commit of step by thread 201 worker 1, 60 times",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for range 60 {
					th.Wait(iterate(th, q, 8*us, "step"))
				}
			}, map[string]script{"not so tiny": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for range 60 {
					th.Wait(iterate(th, q, 60*us, "step"))
				}
			}}},
		{"fusion", Info, []string{"mul + add + relu follow each other directly 60 times (100% of the cases)", "of launching"},
			"dispatch of add by thread 201 worker 1, 60 times",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for range 60 {
					th.Wait(iterate(th, q, 90*us, "mul", "add", "relu"))
				}
			}, map[string]script{
				"results are read in between": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for range 60 {
						th.Wait(iterate(th, q, 50*us, "add"))
						th.Wait(iterate(th, q, 50*us, "relu"))
					}
				},
				"in another order half of the time": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for i := range 60 {
						order := []string{"add", "relu", "gelu"}
						if i%2 == 0 {
							order = []string{"gelu", "relu", "add"}
						}
						th.Wait(iterate(th, q, 100*us, order...))
					}
				},
				"long ones": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for range 60 {
						th.Wait(iterate(th, q, 2*ms, "add", "relu"))
					}
				},
			}},
		{"no-warm-up", Info, []string{"on 1 thread the first command buffers took up to 21.", "run 1 or more"},
			"commit of step by thread 201 worker 1, once",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				th.Wait(iterate(th, q, 9*ms, "step"))
				for range 60 {
					work(th, q)
				}
			}, map[string]script{
				"hardly slower": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					th.Wait(iterate(th, q, 700*us, "step"))
					for range 60 {
						work(th, q)
					}
				},
				"other work": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					th.Wait(iterate(th, q, 9*ms, "prepare"))
					for range 60 {
						work(th, q)
					}
				},
			}},
		{"variance", Info, []string{"from the 5th to the 95th percentile", "most of the difference is in running on the GPU",
			"1 of 1 series"}, "commit of step by thread 201 worker 1, 100 times",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for range 100 {
					th.Wait(iterate(th, q, 200*us+int64(th.Random()*900*us), "step"))
				}
			}, map[string]script{
				"different work": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for i := range 100 {
						if i%2 == 0 {
							th.Wait(iterate(th, q, 100*us, "small"))
						} else {
							th.Wait(iterate(th, q, 1*ms, "large"))
						}
					}
				},
				"eight in flight, then a wait": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					for range 12 {
						var last *tracesim.Buffer
						for range 8 {
							last = iterate(th, q, 400*us, "step")
						}
						th.Wait(last)
					}
				},
			}},
		{"gpu-idle", Info, []string{"thread 201 worker 1 was outside of Metal, for 60.5 ms in 59 gaps"}, "",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for range 60 {
					th.Work(ms)
					work(th, q)
				}
			}, map[string]script{"a little": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for range 60 {
					th.Work(30 * us)
					work(th, q)
				}
			}}},
		{"copies", Warning, []string{"60 times data was copied to private GPU memory, used by a dispatch, and copied " +
			"back (60 " +
			"command buffers", "120 copies, 58.6 MiB in all"},
			"copies from shared to private by thread 201 worker 1, 60 times, 29.3 MiB",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				host, gpu := th.Make(1<<20, 0x1000, tracesim.Shared), th.Make(1<<20, 0, tracesim.Private)
				for range 60 {
					b := th.CommandBuffer(q)
					th.Copy(b, host, gpu, 512_000)
					th.Encode(b, "step", 400*us)
					th.Copy(b, gpu, host, 512_000)
					th.Commit(b)
					th.Wait(b)
				}
			}, map[string]script{
				"up once and back once": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					host, gpu := th.Make(1<<20, 0x1000, tracesim.Shared), th.Make(1<<20, 0, tracesim.Private)
					for i := range 60 {
						b := th.CommandBuffer(q)
						if i == 0 {
							th.Copy(b, host, gpu, 512_000)
						}
						th.Encode(b, "step", 400*us)
						if i == 59 {
							th.Copy(b, gpu, host, 512_000)
						}
						th.Commit(b)
						th.Wait(b)
					}
				},
				"filled, not copied": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					gpu := th.Make(1<<20, 0, tracesim.Private)
					for range 60 {
						b := th.CommandBuffer(q)
						th.Fill(b, gpu, 512_000)
						th.Encode(b, "step", 400*us)
						th.Commit(b)
						th.Wait(b)
					}
				},
			}},
		{"beyond-working-set", Warning,
			[]string{"4.00 MiB allocated at a time, by the buffers, textures and heaps that were alive; " +
				"the device recommends at most 3.00 MiB"}, "",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				s.BeforeWrite = recommends(3 << 20)
				for range 60 {
					b := th.Make(4<<20, 0, tracesim.Private)
					work(th, q)
					th.Release(b)
				}
			}, map[string]script{
				"no more than that": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					s.BeforeWrite = recommends(5 << 20)
					for range 60 {
						b := th.Make(4<<20, 0, tracesim.Private)
						work(th, q)
						th.Release(b)
					}
				},
				"releases are not known": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
					s.BeforeWrite = recommends(3 << 20)
					for range 60 {
						th.Make(4<<20, 0, tracesim.Private)
						work(th, q)
					}
				},
			}},
		{"failed-command-buffers", Warning, []string{"2 of 60 command buffers failed. 2 times: error 2, Caused GPU " +
			"Timeout Error"},
			"commit by thread 201 worker 1, 2 times",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for i := range 60 {
					b := th.CommandBuffer(q)
					th.Encode(b, "step", 400*us)
					if i%30 == 7 {
						b.Fail("Caused GPU Timeout Error")
					}
					th.Commit(b)
					th.Wait(b)
				}
			}, nil},
		{"unlabelled", Info, []string{"0 of 1 queue and 60 of 60 command buffers"},
			"commandBuffer by thread 201 worker 1, 60 times",
			func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for range 60 {
					work(th, q)
				}
			}, map[string]script{"most have one": func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
				for i := range 60 {
					b := th.CommandBuffer(q)
					if i%3 > 0 {
						th.Label(b, "step")
					}
					th.Encode(b, "step", 400*us)
					th.Commit(b)
					th.Wait(b)
				}
			}}},
	} {
		found, there := look(t, 1, c.has)[c.id]
		if !there || found.Severity != c.severity || found.Advice == "" {
			t.Errorf("%s is not found: %+v", c.id, found)
		}
		for _, want := range c.evidence {
			if !strings.Contains(found.Evidence+found.Advice, want) {
				t.Errorf("%s: %q, want %q in it", c.id, found.Evidence, want)
			}
		}
		if at := fmt.Sprint(found.Where); !strings.Contains(at, c.where) || c.where == "" != (len(found.Where) == 0) {
			t.Errorf("%s: at %q, want %q", c.id, at, c.where)
		}
		for name, script := range c.not {
			if i, there := look(t, 1, script)[c.id]; there {
				t.Errorf("%s is found in %q, which does not have it: %+v", c.id, name, i)
			}
		}
	}
}

// TestScopes: the program's scopes define its iterations, and activity before the command buffer counts: compilation in
// the first.
func TestScopes(t *testing.T) {
	loop := func(compile int64) func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
		return func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			for i := range 12 {
				begin := th.Now()
				if i == 0 {
					th.Compile("step", compile)
				}
				th.Wait(iterate(th, q, 400*us, "step"))
				th.Scope("iteration", begin)
			}
		}
	}
	found := look(t, 1, loop(500*ms))["no-warm-up"]
	if !strings.Contains(found.Evidence, `of 12 scopes "iteration"`) ||
		!strings.Contains(found.Evidence, "of that was compilation") || found.Cost < 400*ms {
		t.Errorf("half a second of compilation is measured in the first iteration: %+v", found)
	}
	if found := look(t, 1, loop(300*us))["no-warm-up"]; found.Severity != Skipped {
		t.Errorf("the first takes 1.6 times as long: %+v", found)
	}
}

// TestPlaces: with stacks, the line of the program is named.
func TestPlaces(t *testing.T) {
	found := look(t, 1, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
		s.BeforeWrite = tracesim.PythonProgram
		for i := range 60 {
			th.Work(ms)
			th.Compile(strings.Repeat("k", i+1), 300*us)
			th.Wait(iterate(th, q, 20*us, "step"))
		}
	})
	for id, want := range map[string]string{"compile-in-loop": "train.py step() from train.py:99 <module>, " +
		"newComputePipelineStateWithFunction:error:, 50 times",
		"wait-after-commit":    "train.py:17 synchronize() from train.py:43 step(), waitUntilCompleted, 59 times",
		"tiny-command-buffers": "train.py:42 step() from train.py:99 <module>, commit of step, 60 times",
		"gpu-idle":             "train.py:42 step() from train.py:99 <module>, commit",
		"unlabelled":           "train.py:40 step() from train.py:99 <module>, commandBuffer, 60 times"} {
		if at := fmt.Sprint(found[id].Where); !strings.Contains(at, want) {
			t.Errorf("%s is at %q, want %q", id, at, want)
		}
	}
}

// TestSkipped: insights that cannot be checked are reported as skipped: in a run too short to have a loop, and in a
// recording that lacks the data.
func TestSkipped(t *testing.T) {
	short := func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) { th.Wait(iterate(th, q, 400*us, "step")) }
	found := look(t, 1, short)
	for _, id := range []string{"no-warm-up", "variance", "allocation-in-loop", "memory-growth", "wait-after-commit",
		"tiny-command-buffers", "copies", "unlabelled"} {
		if i := found[id]; i.Severity != Skipped || !strings.HasPrefix(i.Evidence, "SKIPPED: ") || i.Title == "" {
			t.Errorf("%s: %+v", id, i)
		}
	}
	trace := &analyze.Trace{Source: analyze.Source{Kind: "xctrace", Unrecorded: analyze.Unrecorded{Waits: true,
		Locks: true, Calls: true, KernelNames: true}}}
	for i := range analyze.Nanos(60) {
		trace.Add(analyze.CommandBuffer{GPU: analyze.Interval{Begin: ms * (i + 1), End: ms*(i+1) + 10*us}})
	}
	skipped := 0
	for _, i := range Find(&Input{Trace: trace, Analysis: cause.Analyze(trace, cause.Options{}),
		Compile: compile.Summarize(trace), Memory: memory.Summarize(trace)}) {
		if i.Severity == Skipped {
			skipped++
		}
		if i.ID == "tiny-command-buffers" && i.Severity == Skipped {
			t.Error("GPU times are in Instruments' recordings:", i)
		}
	}
	if skipped < 9 {
		t.Errorf("of a recording of Instruments only %d are skipped", skipped)
	}
}

// recommends is a device with a recommended working set of that many bytes.
func recommends(bytes int) func(*tracesim.Process) {
	return func(p *tracesim.Process) {
		p.Facts = append(p.Facts, wire.Fact{Kind: wire.FactWorkingSet, Key: 1, Text: strconv.Itoa(bytes)})
	}
}
