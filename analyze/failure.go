package analyze

import "fmt"

// Failed reports whether the command buffer ended with an error.
func (b *CommandBuffer) Failed() bool { return b.Status == StatusError }

// FailureText returns the error code of a failed command buffer, with Metal's message if it was recorded.
func (b *CommandBuffer) FailureText() string {
	if b.Error == "" {
		return fmt.Sprintf("error %d", b.ErrorCode)
	}
	return fmt.Sprintf("error %d, %s", b.ErrorCode, b.Error)
}
