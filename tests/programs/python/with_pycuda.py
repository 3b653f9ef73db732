"""PyCUDA: a kernel in CUDA C++ that its compiler builds with nvcc, and one written as an expression.

    with_pycuda.py          prints "right"
    with_pycuda.py wrong    the same with a mistake, at the line that ends with "// wrong: KIND"
"""
import sys

import numpy as np
import pycuda.autoinit
from pycuda import driver, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

N = 1000
SOURCE = r"""
__global__ void smooth(const float* values, float* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
#ifdef WRONG
    const float next = values[i + 1];  // wrong: out_of_bounds
#else
    const float next = i + 1 < n ? values[i + 1] : 0;
#endif
    out[i] = (values[i] + next) / 2;
}
"""

wrong = sys.argv[1:] == ["wrong"]
smooth = SourceModule(SOURCE, options=["-DWRONG"] if wrong else []).get_function("smooth")
values, out = np.arange(N, dtype=np.float32), np.empty(N, np.float32)
smooth(driver.In(values), driver.Out(out), np.int32(N), block=(128, 1, 1), grid=(8, 1))
wanted = (values + np.append(values[1:], 0)) / 2
scaled = gpuarray.to_gpu(out)
ElementwiseKernel("float* x, float a", "x[i] = a * x[i]", "scale")(scaled, np.float32(3))
print("right" if np.array_equal(scaled.get(), 3 * wanted) else "WRONG")
