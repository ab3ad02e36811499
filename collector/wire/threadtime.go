package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// ThreadTimeSize is the size of an encoded ThreadTime, in bytes.
const ThreadTimeSize = 32

// A ThreadTime is how much processor time a thread had used at an instant. Counters only grow; their differences mean
// something.
type ThreadTime struct {
	// the system's thread id; WholeProcess for all threads of the process together, WholeMachine for those of all programs
	Thread uint64
	At     int64 // nanoseconds on the clock of GPU times
	Ran    int64 // nanoseconds on a processor, since the thread began
	// nanoseconds that it could run and had no processor, since it began; WaitNotKnown where the system does not count
	// that
	Waited int64
}

// WholeProcess is ThreadTime.Thread where all threads of the process are counted together, those that are not traced
// and those that are gone too; of the time that those waited, only what was seen while they were there.
const WholeProcess = 0

// WholeMachine is ThreadTime.Thread where all threads of all programs of the machine are counted together, on all of
// its processors: since it was started, but for the time that they waited, which is counted since somebody looked.
const WholeMachine = math.MaxUint64

// WaitNotKnown is ThreadTime.Waited where the system does not tell how long a thread waited for a processor.
const WaitNotKnown = -1

// AppendThreadTime appends the 32 bytes of t to b: thread u64, at i64, ran i64, waited i64.
func AppendThreadTime(b []byte, t ThreadTime) []byte {
	b = binary.LittleEndian.AppendUint64(b, t.Thread)
	b = binary.LittleEndian.AppendUint64(b, uint64(t.At))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.Ran))
	return binary.LittleEndian.AppendUint64(b, uint64(t.Waited))
}

// DecodeThreadTimes appends the thread times of b, which holds nothing else, to dst.
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
			return dst, fmt.Errorf("thread times: thread %d ran for %d ns and waited for %d ns at %d ns, which cannot be",
				t.Thread, t.Ran, t.Waited, t.At)
		}
		dst = append(dst, t)
	}
	return dst, nil
}
