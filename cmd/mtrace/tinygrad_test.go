package main

import (
	"path/filepath"
	"testing"

	"mtrace/fixtures/softmetal"
)

// A program that others wrote for Apple's Metal prints the same under the tracer, and its calls are in the trace.
func TestTracedTinygradPrintsTheSame(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: compiles about forty kernels")
	}
	dir, err := softmetal.Tinygrad()
	if err != nil {
		t.Skip(err)
	}
	fixture, err := filepath.Abs("../../fixtures/softmetal/testdata/tinygrad")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"DEV=METAL", "TRAINING=1", "PYTHONDONTWRITEBYTECODE=1", "XDG_CACHE_HOME=" + t.TempDir(),
		"PYTHONPATH=" + filepath.Join(fixture, "platform") + ":" + dir}
	script := filepath.Join(fixture, "script.py")
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	plain := sh(t, "", env, filepath.Join(tool.dir, "softmetal", "softmetal"), "python3", script)
	traced := sh(t, "", env, tool.mtrace, "run", "--no-report", "-o", trace, "--", "python3", script)
	if plain.exit != 0 || traced != plain {
		t.Errorf("traced:   %+v\nuntraced: %+v", traced, plain)
	}
	if _, model := traceSequences(t, trace); len(model.CommandBuffers) == 0 || len(model.Pipelines) == 0 {
		t.Errorf("the trace has %d command buffers and %d pipeline states", len(model.CommandBuffers), len(model.Pipelines))
	}
}
