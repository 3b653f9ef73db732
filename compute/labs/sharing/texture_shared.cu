// Shared texture: CUDA sees it as an array, and writes it through a surface.
//
// Once:
//     cudaGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_2D, cudaGraphicsRegisterFlagsSurfaceLoadStore);
//
// Every frame:
//     cudaGraphicsMapResources(1, &resource);
//     cudaGraphicsSubResourceGetMappedArray(&array, resource, 0, 0); // a surface object is made of it
//     sharing_texels<<<grid, block>>>(surface, size, time);
//     cudaGraphicsUnmapResources(1, &resource);
//     glDrawArrays(GL_TRIANGLES, 0, 3);
//     glfwSwapBuffers(window);
extern "C" __global__ void sharing_texels(cudaSurfaceObject_t surface, int size, float time)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= size || row >= size) return;

    float x = (2 * column + 1) / float(size) - 1;
    float y = (2 * row + 1) / float(size) - 1;
    float z = 0.5f + 0.5f * cosf(12 * sqrtf(x * x + y * y) - time);
    unsigned char level = 255 * z + 0.5f;
    surf2Dwrite(make_uchar4(level, level, level, 255), surface, column * sizeof(uchar4), row);
}
