package analyze

import "testing"

// The names are the kernel names of MLX at 846d176; other kernels have no primitive.
func TestMLXPrimitives(t *testing.T) {
	for kernel, want := range map[string]string{
		"vv_Addfloat32": "Add", "vvn_Multiplybfloat16": "Multiply", "g2n4_Subtractfloat32": "Subtract",
		"g3large_LogAddExpfloat16": "LogAddExp", "sv2_Equalint64": "Equal", "v_Selectfloat32": "Select",
		"v_Expfloat32float32": "Exp", "vn_Negativefloat16float16": "Negative", "gn4large_Sqrtfloat32float32": "Sqrt",
		"v_copyfloat32bfloat16": "Copy", "gg3_dynamic_copyint32int32": "Copy", "sn_copybool_bool_": "Copy",
		"steel_gemm_fused_nt_float32_float32_bm64_bn64_bk16_wm2_wn2": "Matmul", "gemv_t_float16_bm1_bn16": "Matmul",
		"steel_gather_mm_rhs_nn_float32": "GatherMM", "affine_qmv_fast_float16_gs_64_b_4_batch_0": "QuantizedMatmul",
		"affine_gather_qmm_t_float16_gs_64_b_4": "GatherQMM",
		"sdpa_vector_2pass_1_float16_128_128":   "fast::ScaledDotProductAttention", "rmsfloat32": "fast::RMSNorm",
		"vjp_layer_norm_loopedfloat16": "fast::LayerNormVJP", "rope_single_freqs_float16": "fast::RoPE",
		"looped_softmax_precise_float32": "Softmax", "col_reduce_looped_2_8_8_sumfloat32": "Reduce",
		"argmax_float32": "ArgReduce", "contig_scan_inclusive_sum_float32_float32": "Scan",
		"carg_block_sort_float32_uint32_bn128_tn4": "Sort", "arangeint32": "Arange",
		"kernel_mul_mv_q4_0_f32": "", "kernel_rope_norm_f32": "", "gemm_nn_f32_f32_32_32_16_2_2": "", "vv_add": "",
		"r_256_32_4": "", "softmax_f32": "", "matmul": "", "": "",
	} {
		if got := mlxPrimitive(kernel); got != want {
			t.Errorf("%s is of %q, want %q", kernel, got, want)
		}
	}
}
