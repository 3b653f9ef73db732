// Calls: direct, recursive, through a pointer or a table of pointers, and with a struct by value.
struct Row {
    float value[12];
};

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

__device__ __noinline__ float add(float a, float b) { return a + b; }
__device__ __noinline__ float multiply(float a, float b) { return a * b; }
__device__ float (*operations[2])(float, float) = {add, multiply};

__device__ __noinline__ Row shifted(Row row, int at)
{
    row.value[at] += 1.0f;
    return row;
}

struct Shape {
    __device__ virtual float area(float scale) const { return scale; }
    __device__ virtual ~Shape() {}
};
struct Square : Shape {
    float side;
    __device__ float area(float scale) const override { return scale * side * side; }
};

extern "C" __global__ void call_directly(int* data) { data[threadIdx.x] = factorial(data[threadIdx.x]); }

extern "C" __global__ void call_pointer(float* data, int which, Row row)
{
    data[threadIdx.x] = operations[which](data[threadIdx.x], 2.0f);
    row = shifted(row, which);
    data[0] += row.value[which];
}

extern "C" __global__ void call_virtual(float* data)
{
    Shape plain;
    Square square;
    square.side = data[1];
    const Shape* shape = data[0] > 0.0f ? &plain : &square;
    data[2] = shape->area(3.0f);
}
