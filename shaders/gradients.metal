// Backward passes of a network and the optimizer's step: one thread per element, 256 threads per threadgroup. The grid is
// the number of elements (dispatchThreads:), so the kernels need no bounds test.
#include <metal_stdlib>
using namespace metal;

kernel void relu_backward_f32(device const float *x [[buffer(0)]], device const float *gradient [[buffer(1)]],
                              device float *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i] = x[i] > 0.0f ? gradient[i] : 0.0f;
}

// The derivative of the tanh form of GELU.
kernel void gelu_backward_f32(device const float *x [[buffer(0)]], device const float *gradient [[buffer(1)]],
                              device float *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    const float scale = 0.7978845608f, cubic = 0.044715f;
    float v = x[i], t = precise::tanh(scale * (v + cubic * v * v * v));
    out[i] = gradient[i] * (0.5f * (1.0f + t) + 0.5f * v * (1.0f - t * t) * scale * (1.0f + 3.0f * cubic * v * v));
}

kernel void sigmoid_backward_f32(device const float *y [[buffer(0)]], device const float *gradient [[buffer(1)]],
                                 device float *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    out[i] = gradient[i] * y[i] * (1.0f - y[i]);
}

kernel void mse_backward_f32(device const float *prediction [[buffer(0)]], device const float *target [[buffer(1)]],
                             device float *out [[buffer(2)]], constant uint &count [[buffer(3)]],
                             uint i [[thread_position_in_grid]]) {
    out[i] = 2.0f * (prediction[i] - target[i]) / float(count);
}

kernel void sgd_step_f32(device float *weight [[buffer(0)]], device const float *gradient [[buffer(1)]],
                         constant float &rate [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    weight[i] -= rate * gradient[i];
}

struct Adam {
    float rate, beta1, beta2, epsilon, correction1, correction2;
};

kernel void adam_step_f32(device float *weight [[buffer(0)]], device const float *gradient [[buffer(1)]],
                          device float *first [[buffer(2)]], device float *second [[buffer(3)]],
                          constant Adam &adam [[buffer(4)]], uint i [[thread_position_in_grid]]) {
    float g = gradient[i];
    float m = first[i] = adam.beta1 * first[i] + (1.0f - adam.beta1) * g;
    float v = second[i] = adam.beta2 * second[i] + (1.0f - adam.beta2) * g * g;
    weight[i] -= adam.rate * (m / adam.correction1) / (sqrt(v / adam.correction2) + adam.epsilon);
}
