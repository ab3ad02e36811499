package main

import (
	"os"
	"path/filepath"
	"testing"
)

// In a checkout, or an editable install, of a framework the operation is the line of the user's program, not one inside
// the framework; with source roots it is the innermost line below these.
func TestOperationsWithACheckoutOfAFramework(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := map[string]string{
		"tinygrad/tinygrad/__init__.py":         "",
		"tinygrad/tinygrad/runtime/__init__.py": "",
		"tinygrad/tinygrad/tensor.py": `from tinygrad.runtime import ops_metal

def realize():
    ops_metal.run()
`,
		"tinygrad/tinygrad/runtime/ops_metal.py": `import ctypes
from metal import Metal, Size
metal = Metal()
device = metal.device()
queue, pipeline = metal.send(device, "newCommandQueue"), metal.pipeline(device)

def run():
    buffer = metal.send(queue, "commandBuffer")
    encoder = metal.send(buffer, "computeCommandEncoder")
    metal.send(encoder, "setComputePipelineState:", pipeline, types=[ctypes.c_void_p], result=None)
    metal.send(encoder, "dispatchThreads:threadsPerThreadgroup:", Size(64, 1, 1), Size(64, 1, 1), types=[Size, Size],
        result=None)
    metal.send(encoder, "endEncoding", result=None)
    metal.send(buffer, "commit", result=None)
    metal.send(buffer, "waitUntilCompleted", result=None)
`,
		"tinygrad/examples/train.py": `from layers import forward

def step():
    forward()

for i in range(3):
    step()
`,
		"tinygrad/examples/layers.py": `from tinygrad.tensor import realize

def forward():
    realize()
`,
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	programs, err := filepath.Abs("../../fixtures/scenarios/programs")
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PYTHONPATH=" + programs + ":" + filepath.Join(dir, "tinygrad"), "PYTHONDONTWRITEBYTECODE=1"}
	got := sh(t, dir, env, tool.mtrace, "run", "--stacks", "python", "--no-report", "-o", "t.mtrace", "--", "python3",
		"tinygrad/examples/train.py")
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	for _, c := range []struct{ root, want string }{
		{"", "layers.py:4 forward()"},
		{filepath.Join(dir, "tinygrad/examples"), "layers.py:4 forward()"},
		{filepath.Join(dir, "tinygrad/tinygrad"), "ops_metal.py:11 run()"},
	} {
		flags := []string{}
		if c.root != "" {
			flags = []string{"--source-root", c.root}
		}
		r := reportOf(t, append(flags, filepath.Join(dir, "t.mtrace"))...)
		if len(r.Operations) != 1 || r.Operations[0].Name != c.want || r.Operations[0].From != "Python line" {
			t.Errorf("with root %q: %+v, want %s", c.root, r.Operations, c.want)
		}
	}
}
