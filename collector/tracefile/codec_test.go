package tracefile

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// workload makes n records of a thread in a process with as many threads.
func workload(n, threads int) []wire.Record {
	object, random := wire.ObjectID(0), rand.New(rand.NewPCG(7, 7))
	w := wiretest.NewWorkload(1, 2.45, func() wire.ObjectID {
		object += wire.ObjectID(1 +
			random.IntN(2*threads-1))
		return object
	})
	records := slices.Clone(w.Start())
	for len(records) < n {
		records = append(records, w.Step()...)
	}
	return records[:n]
}

func randomRecords(seed uint64, n int) []wire.Record {
	random := rand.New(rand.NewPCG(seed, 2))
	records := make([]wire.Record, n)
	for i := range records {
		shift := random.IntN(64)
		r := wire.Record{Begin: wire.Ticks(random.Uint64() >> shift), End: wire.Ticks(random.Uint64() >> shift),
			Arg:    random.Uint64() >> random.IntN(64),
			Object: wire.ObjectID(random.Uint32() >> random.IntN(32)), Call: wire.Call(random.IntN(6)),
			Flags: wire.Flags(random.IntN(4))}
		if random.IntN(4) == 0 {
			r.Call = wire.CallMore
		}
		if random.IntN(50) == 0 {
			r.Call, r.Flags = wire.Call(random.Uint32()), wire.Flags(random.Uint32())
		}
		records[i] = r
	}
	return records
}

// stepped makes records of a clock that advances in steps, and whose offset changes at random, at one call in 50.
func stepped(records []wire.Record, step wire.Ticks) []wire.Record {
	random, offset := rand.New(rand.NewPCG(3, 3)), wire.Ticks(7)
	for i := range records {
		if r := &records[i]; r.Call != wire.CallMore {
			r.Begin = r.Begin*step + offset
			if random.IntN(50) == 0 {
				offset = wire.Ticks(random.IntN(int(step)))
			}
			r.End = r.End*step + offset
		}
	}
	return records
}

// Whatever is in the rings of a program must come back as it was, even when it makes no sense.
func TestRecordsRoundTrip(t *testing.T) {
	cases := map[string][]wire.Record{
		"none":                {},
		"one":                 {{Begin: 5, End: 9, Object: 3, Arg: 1 << 63, Call: 7, Flags: 2}},
		"more at the end":     {{Begin: 5, End: 9, Call: 7, Flags: wire.HasMore}},
		"more without a call": {wire.More{X0: 1, X1: 2, X2: 3, X3: 4}.Record(), {Begin: 1, End: 2, Call: 9}},
		"more with flags":     {{Begin: 5, End: 9, Call: 7, Flags: wire.HasMore}, wire.More{X0: 1, Flags: 1}.Record()},
		"two mores": {{Begin: 5, End: 9, Call: 7, Flags: wire.HasMore}, wire.More{X0: 1}.Record(),
			wire.More{X0: 2}.Record()},
		"end before begin": {{Begin: 9, End: 5, Call: 7}, {Begin: 1, End: 1 << 63, Call: 7}},
		"extremes": {{Begin: ^wire.Ticks(0), End: 0, Arg: ^uint64(0), Object: ^wire.ObjectID(0),
			Call: ^wire.Call(0), Flags: ^wire.Flags(0)}, {}},
		"workload": workload(recordsPerBlock, 8),
	}
	for _, step := range []wire.Ticks{2, 13, 26, 1 << 20} {
		cases["steps of "+strconv.Itoa(int(step))] = stepped(workload(5000, 2), step)
	}
	for seed := range uint64(20) {
		cases["random"+string(rune('a'+seed))] = randomRecords(seed, 3000)
	}
	var e encoder
	var d decoder
	for name, records := range cases {
		payload, _, _ := e.encode(nil, records)
		got, err := d.decode(nil, payload.bytes, len(records))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !slices.Equal(got, records) {
			t.Errorf("%s: %d records came back as %d others", name, len(records), len(got))
		}
	}
}

func FuzzDecodeRecords(f *testing.F) {
	var e encoder
	for _, records := range [][]wire.Record{nil, workload(100, 2), stepped(workload(100, 2), 26), randomRecords(1, 50),
		{wire.More{X0: 1}.Record()}} {
		payload, _, _ := e.encode(nil, records)
		f.Add(payload.bytes, uint16(len(records)))
	}
	payload, count := version1Payload(f)
	f.Add(payload, count)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, uint16(65535))
	f.Fuzz(func(t *testing.T, payload []byte, count uint16) {
		var d decoder
		records, err := d.decode(nil, payload, int(count))
		if err != nil {
			return
		}
		if len(records) != int(count) {
			t.Fatalf("%d records instead of %d", len(records), count)
		}
		var e encoder
		again, _, _ := e.encode(nil, records)
		back, err := d.decode(nil, again.bytes, len(records))
		if err != nil || !slices.Equal(back, records) {
			t.Fatalf("decoded records do not survive: %v", err)
		}
	})
}

func BenchmarkEncodeRecords(b *testing.B) {
	records := workload(recordsPerBlock, 8)
	var e encoder
	var payload recordsPayload
	var scratch []byte
	var stored int
	for b.Loop() {
		payload, _, _ = e.encode(payload.bytes[:0], records)
		out, _ := compressColumns(payload, scratch)
		stored = len(out)
		scratch = out
	}
	b.ReportMetric(float64(len(payload.bytes))/float64(len(records)), "plainB/record")
	b.ReportMetric(float64(stored)/float64(len(records)), "B/record")
	b.ReportMetric(float64(len(records))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}

func BenchmarkDecodeRecords(b *testing.B) {
	records := workload(recordsPerBlock, 8)
	var e encoder
	payload, _, _ := e.encode(nil, records)
	stored, how := compressColumns(payload, nil)
	var d decoder
	var out []byte
	for b.Loop() {
		out, _ = decompress(stored, how, uint32(len(payload.bytes)), out)
		records, _ = d.decode(records[:0], out, recordsPerBlock)
	}
	b.ReportMetric(float64(len(records))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}
