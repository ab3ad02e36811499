package wire

// Sampling is the outcome of measuring an encoder's time on the GPU, which --gpu-timing encoder requests. Two records
// contain it: the More record (x1) of the call that created the encoder, and the record "encoder times", which is
// written only if the measurement was requested.
type Sampling uint8

// The outcomes of measuring an encoder's time on the GPU. In the record of the call that creates the encoder,
// SamplingMeasured only means that samples were requested.
const (
	SamplingOff      Sampling = iota // not requested: --gpu-timing buffer
	SamplingMeasured                 // the GPU's own clock, at the encoder's boundaries
	SamplingDevice                   // the device has no such samples, or they failed the self-test
	SamplingFull                     // more encoders were in flight than fit into the sample buffer
	SamplingTaken                    // the program's own pass descriptor samples counters
	SamplingMissing                  // the GPU gave an error value or no sample; an encoder without work has none
	SamplingWrong                    // the samples are outside of the command buffer's time
)

// samplings has two texts for each outcome: the name in the C header, and the text for reports.
var samplings = [...]struct{ name, text string }{
	SamplingOff:      {"off", "off"},
	SamplingMeasured: {"measured", "measured"},
	SamplingDevice:   {"device", "the device's counter samples cannot be used"},
	SamplingFull:     {"full", "too many encoders were in flight"},
	SamplingTaken:    {"taken", "the program samples counters itself"},
	SamplingMissing:  {"missing", "the GPU gave no samples"},
	SamplingWrong:    {"wrong", "the samples are outside of the command buffer's time"},
}

// String returns the text of the outcome for reports.
func (s Sampling) String() string {
	if int(s) < len(samplings) {
		return samplings[s].text
	}
	return "unknown"
}
