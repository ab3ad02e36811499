package analyze

import "testing"

// The innermost operator of a framework on a stack names the encoded work: PyTorch, MLX and ggml each have a function
// for it. A line of Python is the last resort, and machine code of other programs gives no name.
func TestOperators(t *testing.T) {
	native := func(name string) *Frame { return &Frame{Name: name, Image: &Image{Path: "/opt/lib/lib.dylib"}} }
	line := &Frame{Name: "forward", File: "/home/me/train.py", Line: 42, Python: true}
	for _, c := range []struct {
		name   string
		frames []*Frame
		want   Operation
	}{
		{"PyTorch", []*Frame{native("at::native::mps::binary_op_kernel"), native("at::_ops::add_Tensor::redispatch"),
			native("at::_ops::linear::call"), line},
			Operation{"aten::add_Tensor", FromFunction}},
		{"MLX", []*Frame{native("mlx::core::metal::CommandEncoder::dispatch_threads"),
			native("mlx::core::fast::RMSNorm::eval_gpu"),
			native("mlx::core::UnaryPrimitive::eval_gpu"), native("mlx::core::gpu::eval"), line}, Operation{"fast::RMSNorm",
			FromFunction}},
		{"MLX's adapter alone", []*Frame{native("mlx::core::UnaryPrimitive::eval_gpu"), native("main")}, Operation{}},
		{"ggml", []*Frame{native("ggml_metal_encoder_dispatch_threadgroups"), native("ggml_metal_op_mul_mat"),
			native("ggml_metal_op_encode_impl"),
			native("ggml_metal_op_encode")}, Operation{"ggml mul_mat", FromFunction}},
		{"ggml, inlined", []*Frame{native("ggml_metal_op_encode_impl"), native("ggml_metal_op_encode")}, Operation{}},
		{"Python", []*Frame{native("objc_msgSend"), line, native("main")}, Operation{"train.py:42 forward()",
			FromPythonLine}},
		{"a function of Python that is called so", []*Frame{{Name: "ggml_metal_op_add", File: "/home/me/a.py", Line: 1,
			Python: true}},
			Operation{"a.py:1 ggml_metal_op_add()", FromPythonLine}},
		{"a program", []*Frame{native("step"), native("main")}, Operation{}},
	} {
		s := &Stack{Frames: c.frames}
		trace := &Trace{Stacks: []*Stack{s}}
		nameOperations(trace)
		if got := new(CommandBuffer).Operation(&Encoder{}, &Dispatch{Stack: s}); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
