// Kernels that do in one pass what frameworks do in several: activations, and a matrix product with its bias and
// activation. Threads per threadgroup: 256 for element-wise kernels, 16 x 16 for the product.
#include <metal_stdlib>
using namespace metal;

// GELU in its tanh form; 0.7978845608 is sqrt(2/pi).
inline float gelu(float x) { return 0.5f * x * (1.0f + precise::tanh(0.7978845608f * (x + 0.044715f * x * x * x))); }
inline float relu(float x) { return max(x, 0.0f); }
inline float silu(float x) { return x / (1.0f + exp(-x)); }

#define UNARY(name, type, function)                                                                            \
    kernel void name(device const type *in [[buffer(0)]], device type *out [[buffer(1)]],                      \
                     uint i [[thread_position_in_grid]]) {                                                     \
        out[i] = type(function(float(in[i])));                                                                 \
    }
#define BINARY(name, type, expression)                                                                         \
    kernel void name(device const type *a [[buffer(0)]], device const type *b [[buffer(1)]],                   \
                     device type *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {                     \
        float x = float(a[i]), y = float(b[i]);                                                                \
        out[i] = type(expression);                                                                             \
    }

UNARY(gelu_f32, float, gelu)
UNARY(gelu_f16, half, gelu)
UNARY(silu_f32, float, silu)
UNARY(silu_f16, half, silu)
BINARY(add_relu_f32, float, relu(x + y))
BINARY(add_relu_f16, half, relu(x + y))
BINARY(mul_relu_f32, float, relu(x * y))
BINARY(mul_relu_f16, half, relu(x * y))
BINARY(add_gelu_f32, float, gelu(x + y))
BINARY(add_gelu_f16, half, gelu(x + y))

struct Shape {
    uint m, n, k;
};

#define PRODUCT(name, type, activation)                                                                        \
    kernel void name(device const type *a [[buffer(0)]], device const type *b [[buffer(1)]],                   \
                     device const type *bias [[buffer(2)]], device type *c [[buffer(3)]],                      \
                     constant Shape &shape [[buffer(4)]], uint2 at [[thread_position_in_grid]]) {              \
        if (at.x >= shape.n || at.y >= shape.m) return;                                                        \
        float sum = float(bias[at.x]);                                                                         \
        for (uint i = 0; i < shape.k; i++) sum = fma(float(a[at.y * shape.k + i]), float(b[i * shape.n + at.x]), sum); \
        c[at.y * shape.n + at.x] = type(activation(sum));                                                      \
    }

PRODUCT(matmul_bias_relu_f32, float, relu)
PRODUCT(matmul_bias_relu_f16, half, relu)
PRODUCT(matmul_bias_gelu_f32, float, gelu)
PRODUCT(matmul_bias_gelu_f16, half, gelu)
