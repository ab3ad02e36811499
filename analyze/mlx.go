package analyze

import "regexp"

// mlxTypes matches the type names in the kernel names of MLX, Apple's array framework.
const mlxTypes = `(?:bool_?|u?int(?:8|16|32|64)|float16|float32|bfloat16|complex64)`

// mlxKernels are patterns of MLX's kernel names, with the MLX primitive (operation) that such kernels implement.
// Where the primitive is empty, the pattern's group matches the primitive's name.
var mlxKernels = []struct {
	name      *regexp.Regexp
	primitive string
}{
	{regexp.MustCompile(`^[svg]{1,2}(?:large|n?\d*|n)*_([A-Z][A-Za-z0-9]*?)` + mlxTypes + `{1,2}$`), ""},
	{regexp.MustCompile(`^[svg]{1,2}(?:large|n?\d*|n)*(?:_dynamic)?n?_copy` + mlxTypes + `{2}$`), "Copy"},
	{regexp.MustCompile(`^(?:steel_gemm_|gemv_(?:t_|wide_|masked_|t_masked_)?` + mlxTypes + `)`), "Matmul"},
	{regexp.MustCompile(`^(?:steel_gather_mm_|gemv_(?:t_|wide_)?gather_)`), "GatherMM"},
	{regexp.MustCompile(`^(?:affine|mxfp4|mxfp8|nvfp4)_gather_q[mv]`), "GatherQMM"},
	{regexp.MustCompile(`^(?:affine|mxfp4|mxfp8|nvfp4)_q(?:mm|mv|vm)_`), "QuantizedMatmul"},
	{regexp.MustCompile(`^(?:sdpa_vector|steel_attention)_`), "fast::ScaledDotProductAttention"},
	{regexp.MustCompile(`^rms(?:_looped)?` + mlxTypes + `$`), "fast::RMSNorm"},
	{regexp.MustCompile(`^vjp_rms(?:_looped)?` + mlxTypes + `$`), "fast::RMSNormVJP"},
	{regexp.MustCompile(`^layer_norm(?:_looped)?` + mlxTypes + `$`), "fast::LayerNorm"},
	{regexp.MustCompile(`^vjp_layer_norm(?:_looped)?` + mlxTypes + `$`), "fast::LayerNormVJP"},
	{regexp.MustCompile(`^rope_(?:single_)?(?:freqs_)?(?:large_)?` + mlxTypes + `$`), "fast::RoPE"},
	{regexp.MustCompile(`^(?:block|looped)_softmax_(?:precise_)?` + mlxTypes + `$`), "Softmax"},
	{regexp.MustCompile(`^(?:block|looped)_logsumexp_` + mlxTypes + `$`), "LogSumExp"},
	{regexp.MustCompile(`^(?:init|all|row|col)_reduce_`), "Reduce"},
	{regexp.MustCompile(`^arg(?:max|min)_` + mlxTypes + `$`), "ArgReduce"},
	{regexp.MustCompile(`^(?:contig|strided)_scan_`), "Scan"},
	{regexp.MustCompile(`^(?:n?c(?:arg)?_block_sort|(?:sort|partition|merge)_mbsort)_`), "Sort"},
	{regexp.MustCompile(`^arange` + mlxTypes + `$`), "Arange"},
}

// mlxPrimitive returns the MLX primitive (operation) that a kernel implements; empty if the kernel's name does not
// show it.
func mlxPrimitive(kernel string) string {
	for i := range mlxKernels {
		if m := mlxKernels[i].name.FindStringSubmatch(kernel); m != nil {
			if len(m) > 1 {
				return m[1]
			}
			return mlxKernels[i].primitive
		}
	}
	return ""
}
