// Element-wise kernels: one thread per element, 256 threads per threadgroup. The grid is the number of elements
// (dispatchThreads:), so the kernels need no bounds test.
#include <metal_stdlib>
using namespace metal;

#define BINARY(name, type, expression)                                                                         \
    kernel void name(device const type *a [[buffer(0)]], device const type *b [[buffer(1)]],                   \
                     device type *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {                     \
        type x = a[i], y = b[i];                                                                               \
        out[i] = expression;                                                                                   \
    }
#define UNARY(name, type, expression)                                                                          \
    kernel void name(device const type *a [[buffer(0)]], device type *out [[buffer(1)]],                       \
                     uint i [[thread_position_in_grid]]) {                                                     \
        type x = a[i];                                                                                         \
        out[i] = expression;                                                                                   \
    }
#define AFFINE(name, type)                                                                                     \
    kernel void name(device const type *a [[buffer(0)]], device type *out [[buffer(1)]],                       \
                     constant float &scale [[buffer(2)]], constant float &shift [[buffer(3)]],                 \
                     uint i [[thread_position_in_grid]]) {                                                     \
        out[i] = type(fma(float(a[i]), scale, shift));                                                         \
    }

BINARY(add_f32, float, x + y)
BINARY(add_f16, half, x + y)
BINARY(sub_f32, float, x - y)
BINARY(sub_f16, half, x - y)
BINARY(mul_f32, float, x * y)
BINARY(mul_f16, half, x * y)
BINARY(div_f32, float, x / y)
BINARY(div_f16, half, x / y)
BINARY(max_f32, float, max(x, y))
BINARY(max_f16, half, max(x, y))
UNARY(relu_f32, float, max(x, 0.0f))
UNARY(relu_f16, half, max(x, half(0)))
UNARY(sigmoid_f32, float, 1.0f / (1.0f + exp(-x)))
UNARY(sigmoid_f16, half, half(1.0f / (1.0f + exp(-float(x)))))
UNARY(exp_f32, float, exp(x))
UNARY(exp_f16, half, half(exp(float(x))))
UNARY(copy_f32, float, x)
UNARY(copy_f16, half, x)
AFFINE(affine_f32, float)
AFFINE(affine_f16, half)
