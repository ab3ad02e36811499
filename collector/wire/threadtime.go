package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ThreadTimeSize is the size of an encoded ThreadTime, in bytes.
const ThreadTimeSize = 32

// A ThreadTime is the processor time that a thread had used at an instant. The counters only grow; their differences
// are the time used in between.
type ThreadTime struct {
	// the system's thread id; WholeProcess for all threads of the process together, WholeMachine for all threads of all
	// programs
	Thread uint64
	At     int64 // nanoseconds on the clock of GPU times
	Ran    int64 // nanoseconds on a processor, since the thread began
	// nanoseconds that the thread was runnable without a processor, since it began; WaitNotKnown where the system does
	// not count this
	Waited int64
}

// WholeProcess is the ThreadTime.Thread of the sum over all threads of the process, including untraced threads and
// threads that have exited. The waiting time of exited threads is included only up to the last sample before they
// exited.
const WholeProcess = 0

// WholeMachine is the ThreadTime.Thread of the sum over all threads of all programs of the machine, on all processors.
// Running time counts from the start of the machine, waiting time from the start of sampling.
const WholeMachine = math.MaxUint64

// WaitNotKnown is the ThreadTime.Waited on systems that do not count how long a thread waited for a processor.
const WaitNotKnown = -1

// AppendThreadTime appends the 32 bytes of t to b: thread u64, at i64, ran i64, waited i64.
func AppendThreadTime(b []byte, t ThreadTime) []byte {
	b = binary.LittleEndian.AppendUint64(b, t.Thread)
	b = binary.LittleEndian.AppendUint64(b, uint64(t.At))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.Ran))
	return binary.LittleEndian.AppendUint64(b, uint64(t.Waited))
}

// DecodeThreadTimes appends the thread times in b to dst. b must contain nothing else.
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
			return dst, fmt.Errorf("thread times: thread %d ran for %d ns and waited for %d ns at %d ns, which is impossible",
				t.Thread, t.Ran, t.Waited, t.At)
		}
		dst = append(dst, t)
	}
	return dst, nil
}
