//go:build !linux

package collector

// A rotation does nothing on systems where a thread cannot choose its processor.
type rotation struct{}

func newRotation() *rotation { return &rotation{} }

func (*rotation) begin(bool) {}
func (*rotation) end()       {}
