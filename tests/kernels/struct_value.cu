// A struct by value, with an array, a nested struct, and pointers into buffers.
struct Range {
    short first, last;
};
struct Mix {
    float weight;
    double scale;
    unsigned char kind;
    Range range;
    float steps[3];
    const float* from;
    float* to;
};

__global__ void struct_value(Mix mix, int count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count || i < mix.range.first || i > mix.range.last) return;
    mix.to[i] = static_cast<float>(mix.scale) * mix.from[i] * mix.weight + mix.steps[i % 3] + mix.kind;
}
