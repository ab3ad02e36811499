package summary

import (
	"math"
	"testing"
)

// 2^64-1 stands for none. As a command buffer's number it made each GPU row a command buffer of its own, which counted
// its latency again; as a latency it lost the whole row.
func TestLatencyWithoutNumbers(t *testing.T) {
	row := gpuRow{start: 2000, duration: 500, latency: 1000, channel: "Vertex", label: "cb:a", pid: 7,
		buffer: math.MaxUint64, encoder: math.MaxUint64}
	second := row
	second.start, second.latency, second.channel = 2600, 1600, "Fragment"
	unknown := row
	unknown.start, unknown.latency = 9000, math.MaxUint64
	s := summarise(t, Filter{}, "", gpuTable(row, second, unknown))
	if l := s.Latency.CommitToGPU; l == nil || l.Count != 1 || l.MaxNS != 1000 {
		t.Errorf("commit to GPU start: %+v", l)
	}
	if s.GPU.Own.Intervals != 3 || s.GPU.Own.BusyNS != 1500 {
		t.Errorf("GPU %+v", s.GPU.Own)
	}
}
