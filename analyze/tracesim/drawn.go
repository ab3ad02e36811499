package tracesim

import (
	"math/rand/v2"

	"mtrace/collector/wire"
)

// Draw returns so many records of any calls as bytes, with small objects and instants, so that they meet: fuzzing
// begins with them. Few are tried sooner than many. change, unless it is nil, makes something else of each.
func Draw(random *rand.Rand, records int, change func(*wire.Record)) (data []byte) {
	for range records {
		begin := random.Uint64N(100_000)
		r := wire.Record{Begin: wire.Ticks(begin), End: wire.Ticks(begin + random.Uint64N(5000)), Arg: random.Uint64N(30),
			Object: wire.ObjectID(random.Uint32N(30)),
			Call:   wire.Call(random.IntN(len(wire.Table) + 2)), Flags: wire.Flags(random.Uint32N(4))}
		if change != nil {
			change(&r)
		}
		data = wire.AppendRecord(data, r)
	}
	return data
}

// Drawn is a trace of two threads, of which one has the first records in data, at most 400 in all, and the other the
// rest. Cut is how many the first has, and may be more than there are.
func Drawn(data []byte, cut uint16) *File {
	file, p := NewFile()
	records, _ := wire.DecodeRecords(nil, data[:len(data)/wire.RecordSize*wire.RecordSize])
	records = records[:min(len(records), 400)]
	at := int(cut) % (len(records) + 1)
	for i, part := range [][]wire.Record{records[:at], records[at:]} {
		r := p.Thread(uint64(10+i), "drawn", 1)
		r.Records = append(r.Records, part...)
	}
	return file
}
