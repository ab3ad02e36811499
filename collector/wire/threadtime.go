package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ThreadTimeSize is the size of an encoded ThreadTime, in bytes.
const ThreadTimeSize = 32

// A ThreadTime is the processor time that a thread had used up to an instant. The values only grow; the difference of
// two samples is the time used in between.
type ThreadTime struct {
	// the system's thread id, or WholeProcess for all threads of the process together, or WholeMachine for all
	// threads of all programs
	Thread uint64
	At     int64 // nanoseconds on the clock of GPU times
	Ran    int64 // nanoseconds on a processor, since the thread began
	// nanoseconds in which the thread could run but had no processor, since it began; WaitNotKnown if the system does
	// not count them
	Waited int64
}

// WholeProcess, as the Thread of a ThreadTime, marks the sum over all threads of the process, including untraced
// and exited ones. The waits of an exited thread count only up to its last sample.
const WholeProcess = 0

// WholeMachine, as the Thread of a ThreadTime, marks the sum over all threads of all programs on all processors.
// Its running time counts from the start of the machine, its waiting time from the first sample.
const WholeMachine = math.MaxUint64

// WaitNotKnown is the value of Waited on a system that does not count how long threads wait for a processor.
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
