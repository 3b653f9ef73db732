// An image that is read through a texture and then written through a surface; a struct holds the
// handles.
struct Images {
    cudaTextureObject_t read;
    cudaSurfaceObject_t write;
    float factor;
};

__global__ void surface_step(Images images, cudaSurfaceObject_t image)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y;
    const float old = surf2Dread<float>(image, x * 4, y);
    const float other = tex2D<float>(images.read, x + 0.5f, y + 0.5f);
    surf2Dwrite(old + other * images.factor, images.write, x * 4, y);
}
