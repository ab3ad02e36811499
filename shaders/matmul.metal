// C = A*B for row-major A (M x K), B (K x N), C (M x N). 16 x 16 threads per threadgroup; sums are in float.
// naive: each thread computes one element and reads device memory directly. tiled: the threadgroup first copies 16 x 16
// tiles to threadgroup memory.
#include <metal_stdlib>
using namespace metal;

struct Shape {
    uint m, n, k;
};

constexpr constant uint tile = 16;

template <typename T>
inline void multiply_naive(device const T *a, device const T *b, device T *c, constant Shape &shape, uint2 at) {
    if (at.x >= shape.n || at.y >= shape.m) return;
    float sum = 0.0f;
    for (uint i = 0; i < shape.k; i++) sum = fma(float(a[at.y * shape.k + i]), float(b[i * shape.n + at.x]), sum);
    c[at.y * shape.n + at.x] = T(sum);
}

template <typename T>
inline void multiply_tiled(device const T *a, device const T *b, device T *c, constant Shape &shape,
                           threadgroup T *tile_a, threadgroup T *tile_b, uint2 at, uint2 local) {
    float sum = 0.0f;
    for (uint start = 0; start < shape.k; start += tile) {
        uint column = start + local.x, row = start + local.y;
        tile_a[local.y * tile + local.x] = at.y < shape.m && column < shape.k ? a[at.y * shape.k + column] : T(0);
        tile_b[local.y * tile + local.x] = at.x < shape.n && row < shape.k ? b[row * shape.n + at.x] : T(0);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < tile; i++)
            sum = fma(float(tile_a[local.y * tile + i]), float(tile_b[i * tile + local.x]), sum);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (at.x < shape.n && at.y < shape.m) c[at.y * shape.n + at.x] = T(sum);
}

kernel void matmul_naive_f32(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
                             device float *c [[buffer(2)]], constant Shape &shape [[buffer(3)]],
                             uint2 at [[thread_position_in_grid]]) {
    multiply_naive(a, b, c, shape, at);
}

kernel void matmul_naive_f16(device const half *a [[buffer(0)]], device const half *b [[buffer(1)]],
                             device half *c [[buffer(2)]], constant Shape &shape [[buffer(3)]],
                             uint2 at [[thread_position_in_grid]]) {
    multiply_naive(a, b, c, shape, at);
}

kernel void matmul_tiled_f32(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
                             device float *c [[buffer(2)]], constant Shape &shape [[buffer(3)]],
                             uint2 at [[thread_position_in_grid]], uint2 local [[thread_position_in_threadgroup]]) {
    threadgroup float tile_a[tile * tile];
    threadgroup float tile_b[tile * tile];
    multiply_tiled(a, b, c, shape, tile_a, tile_b, at, local);
}

kernel void matmul_tiled_f16(device const half *a [[buffer(0)]], device const half *b [[buffer(1)]],
                             device half *c [[buffer(2)]], constant Shape &shape [[buffer(3)]],
                             uint2 at [[thread_position_in_grid]], uint2 local [[thread_position_in_threadgroup]]) {
    threadgroup half tile_a[tile * tile];
    threadgroup half tile_b[tile * tile];
    multiply_tiled(a, b, c, shape, tile_a, tile_b, at, local);
}
