package analyze

import "regexp"

// mlxTypes are the names that MLX gives types in its kernels' names.
const mlxTypes = `(?:bool_?|u?int(?:8|16|32|64)|float16|float32|bfloat16|complex64)`

// mlxKernels are patterns of MLX's kernel names that show the primitive for which a kernel runs, or its family. A group
// in the pattern is the primitive's own name.
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

// mlxPrimitive is the primitive of MLX that a kernel computes; empty if the name does not tell.
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
