package insight

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// beyondWorkingSet finds programs that allocate more memory than the device recommends, or nearly as much. If a
// program allocates more, the system pages memory, or moves it before each command buffer. Estimated sizes do not
// count: the rule uses the size that the device reports or, if releases are recorded, the objects that were alive.
func beyondWorkingSet(in *Input) *Insight {
	m := in.Memory
	peak, source := m.Device, "as the device itself reports"
	if m.PeakExact && m.Peak > peak {
		peak, source = m.Peak, "by the buffers, textures and heaps that were alive"
	}
	if m.Recommended == 0 || float64(peak) < policy.NearWorkingSet*float64(m.Recommended) {
		return nil
	}
	if peak <= m.Recommended {
		return &Insight{Severity: Info,
			Evidence: fmt.Sprintf(
				"%s allocated at a time, %s, is %s of the device's recommended maximum of %s (recommendedMaxWorkingSetSize)",
				analyze.FormatBytes(peak), source,
				analyze.FormatShare(float64(peak)/float64(m.Recommended)), analyze.FormatBytes(m.Recommended)),
			Advice: "leave room: with a larger batch, or with other programs that use the GPU, the system pages memory"}
	}
	return &Insight{Severity: Warning,
		Evidence: fmt.Sprintf("%s allocated at a time, %s; the device recommends at most %s (recommendedMaxWorkingSetSize)",
			analyze.FormatBytes(peak), source,
			analyze.FormatBytes(m.Recommended))}
}
