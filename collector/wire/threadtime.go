package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ThreadTimeSize is the size of an encoded ThreadTime, in bytes.
const ThreadTimeSize = 32

// A ThreadTime is how much processor time a thread had used up to an instant. The values only grow; the difference of
// two samples is the time used between them.
type ThreadTime struct {
	// the system's thread id, or WholeProcess for all threads of the process together, or WholeMachine for all
	// threads of all programs
	Thread uint64
	At     int64 // nanoseconds on the clock of GPU times
	Ran    int64 // nanoseconds on a processor, since the thread began
	// nanoseconds since the thread began in which it was runnable and had no processor; WaitNotKnown if the system
	// does not count them
	Waited int64
}

// WholeProcess is the Thread of a sample that sums up all threads of the process, including untraced and exited ones.
// Waits of an exited thread count only up to its last sample.
const WholeProcess = 0

// WholeMachine is the Thread of a sample that sums up all threads of all programs on all processors. Its running time
// counts from the start of the machine, its waiting time from the first sample.
const WholeMachine = math.MaxUint64

// WaitNotKnown is the Waited of a sample on a system that does not count how long threads waited for a processor.
const WaitNotKnown = -1

// AppendThreadTime appends the encoded sample to b, ThreadTimeSize bytes: thread u64, at i64, ran i64, waited i64.
func AppendThreadTime(b []byte, t ThreadTime) []byte {
	b = binary.LittleEndian.AppendUint64(b, t.Thread)
	b = binary.LittleEndian.AppendUint64(b, uint64(t.At))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.Ran))
	return binary.LittleEndian.AppendUint64(b, uint64(t.Waited))
}

// DecodeThreadTimes decodes all samples in b and appends them to dst. It returns an error if a value is impossible.
func DecodeThreadTimes(dst []ThreadTime, b []byte) ([]ThreadTime, error) {
	if len(b)%ThreadTimeSize != 0 {
		return dst, fmt.Errorf("thread times: %d bytes are not a multiple of %d", len(b), ThreadTimeSize)
	}
	for ; len(b) > 0; b = b[ThreadTimeSize:] {
		t := ThreadTime{Thread: binary.LittleEndian.Uint64(b)}
		for i, field := range []*int64{&t.At, &t.Ran, &t.Waited} {
			*field = int64(binary.LittleEndian.Uint64(b[8+8*i:]))
		}
		if t.At < 0 || t.Ran < 0 || t.Waited < WaitNotKnown {
			return dst, fmt.Errorf(
				"thread times: thread %d ran for %d ns and waited for %d ns at %d ns, which is impossible",
				t.Thread, t.Ran, t.Waited, t.At)
		}
		dst = append(dst, t)
	}
	return dst, nil
}
