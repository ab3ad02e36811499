// y = a*x + y: one thread per element, 256 threads per threadgroup.
#include <metal_stdlib>
using namespace metal;

kernel void axpy_f32(device const float *x [[buffer(0)]],
                     device float *y [[buffer(1)]],
                     constant float &a [[buffer(2)]],
                     constant uint &count [[buffer(3)]],
                     uint i [[thread_position_in_grid]]) {
    if (i < count) y[i] = fma(a, x[i], y[i]);
}

kernel void axpy_f16(device const half *x [[buffer(0)]],
                     device half *y [[buffer(1)]],
                     constant float &a [[buffer(2)]],
                     constant uint &count [[buffer(3)]],
                     uint i [[thread_position_in_grid]]) {
    if (i < count) y[i] = half(fma(a, float(x[i]), float(y[i])));
}
