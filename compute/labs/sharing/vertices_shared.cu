// Shared vertex buffer: between map and unmap it belongs to CUDA, otherwise to OpenGL. Nothing is copied.
//
// Once:
//     cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsNone);
//
// Every frame:
//     cudaGraphicsMapResources(1, &resource);
//     cudaGraphicsResourceGetMappedPointer((void**)&vertices, &bytes, resource);
//     sharing_wave<<<grid, block>>>(vertices, size, time);
//     cudaGraphicsUnmapResources(1, &resource);
//     glDrawArrays(GL_POINTS, 0, size * size);
//     glfwSwapBuffers(window);
extern "C" __global__ void sharing_wave(float4* vertices, int size, float time)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= size || row >= size) return;

    float x = (2 * column + 1) / float(size) - 1;
    float y = (2 * row + 1) / float(size) - 1;
    float z = 0.5f + 0.5f * cosf(12 * sqrtf(x * x + y * y) - time);
    vertices[row * size + column] = make_float4(x, y, z, z); // z again, for the colour
}
