package xctrace

import (
	"bytes"
	"encoding/xml"
	"io"
	"testing"

	"mtrace/fixtures/xctrace/export"
)

// BenchmarkRead reads generated tables of some megabytes, and BenchmarkStandard
// has encoding/xml cut the same ones into tokens, without using them. The
// comparison that includes Python and memory is go run ./fixtures/xctrace/bench.
func BenchmarkRead(b *testing.B) {
	each(b, func(b *testing.B, data []byte) {
		sink := &Sink{
			GPU:      GPUSinks{Interval: func(*GPUInterval) {}, ExecutionPoint: func(*ExecutionPoint) {}},
			Commands: CommandSinks{Submission: func(*Submission) {}, Encoder: func(*EncoderInterval) {}},
			CPU:      CPUSinks{Sample: func(*CPUSample) {}},
		}
		doc, err := Read(bytes.NewReader(data), "bench", sink)
		if err != nil || doc.Tables[0].Rejected > 0 || doc.Tables[0].Rows == 0 {
			b.Fatal(err, doc.Tables[0])
		}
	})
}

func BenchmarkStandard(b *testing.B) {
	each(b, func(b *testing.B, data []byte) {
		d := xml.NewDecoder(bytes.NewReader(data))
		for {
			if _, err := d.RawToken(); err == io.EOF {
				return
			} else if err != nil {
				b.Fatal(err)
			}
		}
	})
}

func each(b *testing.B, read func(*testing.B, []byte)) {
	r := export.Record(export.Config{Seed: 1, Threads: 4, Encoders: 2, Compositor: true, CommandBuffers: 5000})
	for _, table := range []string{"metal-gpu-intervals", "metal-application-command-buffer-submissions",
		"metal-application-encoders-list", "metal-gpu-execution-points"} {
		var file bytes.Buffer
		if err := r.Write(&file, table); err != nil {
			b.Fatal(err)
		}
		b.Run(table, func(b *testing.B) {
			b.SetBytes(int64(file.Len()))
			b.ReportAllocs()
			for b.Loop() {
				read(b, file.Bytes())
			}
		})
	}
}
