package metrics

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A Metal 4 commit of several command buffers was not counted, and none was in flight; command buffers of file I/O were
// counted as the GPU's.
func TestCommits(t *testing.T) {
	r := NewRecording("t")
	fmt.Fprintln(r, `{"process":0,"header":{"hello":{"pid":7,"program":"/bin/p"}}}`)
	for _, record := range []string{
		`"call":"commit","family":"commandBuffer","arg":0`,
		`"call":"commit:count:","family":"mtl4Queue","arg":3`,
		`"call":"commit:count:options:","family":"mtl4Queue","arg":2`,
		`"call":"commit","family":"ioCommandBuffer","arg":0`,
		`"call":"completed","family":"tracer","arg":4,"more":[10,20]`,
	} {
		fmt.Fprintf(r, `{"process":0,"ring":0,"record":{%s,"begin":1,"end":2}}`+"\n", record)
	}
	fmt.Fprintln(r, `{"process":0,"end":{"unringed":2,"rings":[{"dropped":3},{"dropped":4}]}}`)
	var said bytes.Buffer
	Write(&said, []*Recording{r})
	for name, want := range map[string]int{"mtrace_command_buffers_committed_total": 6,
		"mtrace_command_buffers_in_flight": 5, "mtrace_records_lost_total": 9} {
		if line := fmt.Sprintf(`%s{trace="t",program="p",pid="7",process="0"} %d`, name, want); !strings.Contains(
			said.String(), line) {
			t.Errorf("no %s in\n%s", line, said.String())
		}
	}
}
