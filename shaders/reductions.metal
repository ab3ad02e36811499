// Reductions in two stages: each threadgroup of 256 threads reduces its elements to one value, and a second dispatch of
// the same kernel reduces those values.
// Partial results are float in both precisions.
#include <metal_stdlib>
using namespace metal;

constexpr constant uint width = 256;

struct Sum {
    static float start() { return 0.0f; }
    static float join(float a, float b) { return a + b; }
};
struct Maximum {
    static float start() { return -INFINITY; }
    static float join(float a, float b) { return max(a, b); }
};

// Each thread first joins every stride-th element. Then half of the threadgroup's threads join the values of the other
// half, again and again, until one value is left.
template <typename Operation, typename T>
inline void reduce(device const T *in, device float *out, uint count, threadgroup float *part,
                   uint i, uint stride, uint local, uint group) {
    float value = Operation::start();
    for (uint at = i; at < count; at += stride) value = Operation::join(value, float(in[at]));
    part[local] = value;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
        if (local < half_width) part[local] = Operation::join(part[local], part[local + half_width]);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (local == 0) out[group] = part[0];
}

#define REDUCTION(name, operation, type)                                                                       \
    kernel void name(device const type *in [[buffer(0)]], device float *out [[buffer(1)]],                     \
                     constant uint &count [[buffer(2)]], uint i [[thread_position_in_grid]],                   \
                     uint stride [[threads_per_grid]], uint local [[thread_position_in_threadgroup]],          \
                     uint group [[threadgroup_position_in_grid]]) {                                            \
        threadgroup float part[width];                                                                         \
        reduce<operation, type>(in, out, count, part, i, stride, local, group);                                \
    }

REDUCTION(reduce_sum_f32, Sum, float)
REDUCTION(reduce_sum_f16, Sum, half)
REDUCTION(reduce_max_f32, Maximum, float)
REDUCTION(reduce_max_f16, Maximum, half)

#if __METAL_VERSION__ >= 300  // atomic_float
// Sums without threadgroup memory: each SIMD group sums its 32 elements and adds the result by one atomic addition.
kernel void reduce_sum_simd_f32(device const float *in [[buffer(0)]], device atomic_float *out [[buffer(1)]],
                                constant uint &count [[buffer(2)]], uint i [[thread_position_in_grid]],
                                uint lane [[thread_index_in_simdgroup]]) {
    float sum = simd_sum(i < count ? in[i] : 0.0f);
    if (lane == 0) atomic_fetch_add_explicit(out, sum, memory_order_relaxed);
}
#endif
