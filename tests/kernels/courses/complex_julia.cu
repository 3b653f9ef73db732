// A Julia set with its own complex type.
struct Complex {
    float re, im;
    __device__ Complex(float r, float i) : re(r), im(i) {}
    __device__ float norm() const { return re * re + im * im; }
    __device__ Complex operator*(const Complex& o) const { return Complex(re * o.re - im * o.im, re * o.im + im * o.re); }
    __device__ Complex operator+(const Complex& o) const { return Complex(re + o.re, im + o.im); }
};

__global__ void juliaSet(int* steps, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    Complex z(3.0f * x / width - 1.5f, 2.0f * y / height - 1.0f);
    Complex c(-0.8f, 0.156f);
    int n = 0;
    for (; n < 100 && z.norm() < 4.0f; ++n) z = z * z + c;
    steps[y * width + x] = n;
}
