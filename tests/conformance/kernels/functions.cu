// Calls, recursion, function pointers, and per-thread local memory.
struct Particle {
    float position[3];
    int kind;
    double weight;
};

__device__ __noinline__ Particle moved(Particle p, float dt)
{
    for (int k = 0; k < 3; ++k) p.position[k] += dt * static_cast<float>(p.kind + k);
    p.weight *= 0.5;
    return p;
}

extern "C" __global__ void structs_by_value(float* out, double* out2, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Particle p{{1.0f * i, 2.0f, -3.0f}, static_cast<int>(in[i] % 17), 1.0 + i};
    for (unsigned k = 0; k < in[i] % 4; ++k) p = moved(p, 0.25f);
    out[i] = p.position[0] + p.position[1] * p.position[2];
    out2[i] = p.weight;
}

__device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void recursion(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = fibonacci(in[i] % 9);
}

__device__ unsigned twice(unsigned x) { return 2 * x; }
__device__ unsigned square(unsigned x) { return x * x; }
__device__ unsigned mirror(unsigned x) { return __brev(x); }
using Function = unsigned (*)(unsigned);
__device__ Function const table[3] = {twice, square, mirror};

extern "C" __global__ void function_pointers(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[in[i] % 3](in[i]);
}

extern "C" __global__ void local_arrays(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned counts[16];
    for (int k = 0; k < 16; ++k) counts[k] = k;
    for (unsigned k = 0; k < 20; ++k) counts[(in[(i + k) % 640] + k) & 15] += k * i + 1;
    unsigned r = 0;
    for (int k = 0; k < 16; ++k) r = r * 17 + counts[(k * 5 + i) & 15];
    out[i] = r;
}

class Shape {
public:
    __device__ virtual float area() const = 0;
};
class Square : public Shape {
public:
    __device__ explicit Square(float side) : side_(side) {}
    __device__ float area() const override { return side_ * side_; }
    float side_;
};
class Circle : public Shape {
public:
    __device__ explicit Circle(float radius) : radius_(radius) {}
    __device__ float area() const override { return 3.0f * radius_ * radius_; }
    float radius_;
};

extern "C" __global__ void virtual_calls(float* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    Square square(static_cast<float>(in[i] % 10));
    Circle circle(static_cast<float>(in[i] % 7));
    const Shape* shape = in[i] & 1 ? static_cast<const Shape*>(&square) : &circle;
    out[i] = shape->area();
}
