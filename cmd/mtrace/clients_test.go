package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Programs in C++ and in Rust print the same with the tracer as without, their work has the names that they give it,
// and the time of their kernel equals the truth. docs/clients.md describes how to build them.
func TestClientsInOtherLanguages(t *testing.T) {
	for _, c := range []struct {
		program, compiler, headers string
		prints                     string
	}{
		{"messages.cpp", cmp.Or(os.Getenv("CXX"), "g++"), "", "3 127, handled 1, status 4\n"},
		{"messages.rs", cmp.Or(os.Getenv("RUSTC"), "rustc"), "", "3 127, status 4\n"},
		{"metalcpp.cpp", cmp.Or(os.Getenv("CLANGXX"), "clang++"), "METAL_CPP", "3 127, handled 1, status 4\n"},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			needTruth(t)
			if c.headers != "" && os.Getenv(c.headers) == "" {
				t.Skipf("%s names no folder with Apple's headers; messages.cpp is a program of the same shape", c.headers)
			}
			if text, err := saidBy(exec.Command(c.compiler, "--version"), commandLimit); err != nil {
				// there may be one of rustup's that has no toolchain
				t.Skipf("no compiler for it: %s: %v %s", c.compiler, err, text)
			}
			client := filepath.Join(t.TempDir(), "client")
			build := exec.Command("../../fixtures/softmetal/clients/build.sh", c.program, filepath.Join(tool.dir, "softmetal"),
				client)
			if text, err := saidBy(build, commandLimit); err != nil {
				t.Fatalf("%v\n%.4000s", err, text)
			}
			plain := sh(t, "", nil, client)
			traced, r, file := reported(t, nil, nil, client)
			if want := (outcome{stdout: c.prints}); plain != want || traced != want {
				t.Errorf("untraced %+v\ntraced %+v\nwant %+v", plain, traced, want)
			}
			if n := checkKernelTimes(t, r, file); n != 1 {
				t.Errorf("%d kernels were compared, not one", n)
			}
			if len(r.Kernels) != 1 || r.Kernels[0].Name != "axpy" || r.Kernels[0].Operation != "step" ||
				r.Kernels[0].OperationFrom != "encoder label" {
				t.Errorf("kernels: %+v", r.Kernels)
			}
		})
	}
}
