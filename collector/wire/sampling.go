package wire

// Sampling states what became of the measurement of an encoder's time on the GPU, under --gpu-timing encoder. The shim
// says it twice: in the More record of the call that made the encoder (x1), and, where samples were asked for, in the
// record "encoder times".
type Sampling uint8

// The values. In the record of a call that makes an encoder SamplingMeasured means that samples were asked for.
const (
	SamplingOff      Sampling = iota // it was not asked for: --gpu-timing buffer
	SamplingMeasured                 // the GPU's own clock, at the encoder's boundaries
	SamplingDevice                   // the device has no such samples, or they failed the self-test
	SamplingFull                     // more encoders were in flight than there is room for
	SamplingTaken                    // the program's own pass descriptor samples counters
	SamplingMissing                  // the GPU gave an error value, or none: an encoder without work has none
	SamplingWrong                    // the samples lie outside of the command buffer's time
)

// samplings are their names in the shim's header, and what a report says.
var samplings = [...]struct{ name, text string }{
	SamplingOff:      {"off", "off"},
	SamplingMeasured: {"measured", "measured"},
	SamplingDevice:   {"device", "the device's counter samples cannot be used"},
	SamplingFull:     {"full", "too many encoders were in flight"},
	SamplingTaken:    {"taken", "the program samples counters itself"},
	SamplingMissing:  {"missing", "the GPU gave no samples"},
	SamplingWrong:    {"wrong", "the samples lie outside of the command buffer's time"},
}

// String says it as a report does.
func (s Sampling) String() string {
	if int(s) < len(samplings) {
		return samplings[s].text
	}
	return "unknown"
}
