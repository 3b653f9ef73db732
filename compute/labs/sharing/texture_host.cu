// Texture via the host: pixels as an array of bytes, which OpenGL copies to a texture.
//
// Every frame:
//     sharing_pixels<<<grid, block>>>(pixels, size, time);
//     cudaMemcpy(host, pixels, bytes, cudaMemcpyDeviceToHost);
//     glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, size, size, GL_RGBA, GL_UNSIGNED_BYTE, host);
//     glDrawArrays(GL_TRIANGLES, 0, 3);
//     glfwSwapBuffers(window);
extern "C" __global__ void sharing_pixels(uchar4* pixels, int size, float time)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= size || row >= size) return;

    float x = (2 * column + 1) / float(size) - 1;
    float y = (2 * row + 1) / float(size) - 1;
    float z = 0.5f + 0.5f * cosf(12 * sqrtf(x * x + y * y) - time);
    unsigned char level = 255 * z + 0.5f;
    pixels[row * size + column] = make_uchar4(level, level, level, 255);
}
