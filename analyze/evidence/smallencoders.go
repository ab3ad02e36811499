package evidence

import "mtrace/analyze"

// SmallEncoders are the compute and blit encoders that directly follow an encoder of the same kind in their command
// buffer. The thread could have encoded their commands into that encoder.
type SmallEncoders struct {
	Count int
	Usual int           // median number in a command buffer
	Time  analyze.Nanos // thread time to end the encoders before them, and to create them
}

// FindSmallEncoders returns the small encoders of a trace. An encoder with other labels or debug groups counts, too,
// because groups also divide the commands of one encoder.
func FindSmallEncoders(t *analyze.Trace) SmallEncoders {
	var found SmallEncoders
	var counts []analyze.Nanos
	for b := range t.Buffers() {
		count := 0
		for i := 1; i < len(b.Encoders); i++ {
			last, next := &b.Encoders[i-1], &b.Encoders[i]
			if last.Kind != next.Kind || next.Kind != analyze.EncoderCompute && next.Kind != analyze.EncoderBlit ||
				last.Created.Thread != next.Created.Thread || !last.Ended.Known() || last.Ended.End > next.Created.Begin {
				continue
			}
			count++
			found.Time += last.Ended.Length() + next.Created.Length()
		}
		found.Count += count
		counts = append(counts, analyze.Nanos(count))
	}
	found.Usual = int(Median(counts))
	return found
}
