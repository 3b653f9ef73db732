// Scan: each of the 256 threads of a tile tests one circle. Its position in the list is the number of hits before it:
// ballots count them within a warp, sums across warps. Such a scan keeps the order.
constexpr int tile = 16;
constexpr int threads = tile * tile;
constexpr int warps = threads / 32;
constexpr unsigned all_lanes = 0xffffffff;

extern "C" __global__ void circles_scan(const float4* circles, float4* pixels, int count, int width,
                                        int height)
{
    __shared__ float4 discs[threads]; // those of this round that touch the tile, in order
    __shared__ float4 colours[threads];
    __shared__ int hits_of_warp[warps];
    int thread = threadIdx.y * tile + threadIdx.x;
    int warp = thread / 32;
    unsigned earlier_lanes = (1u << thread % 32) - 1;
    float left = blockIdx.x * tile;
    float bottom = blockIdx.y * tile;
    float px = left + threadIdx.x + 0.5f;
    float py = bottom + threadIdx.y + 0.5f;

    float4 pixel = make_float4(0, 0, 0, 0);
    for (int first = 0; first < count; first += threads) {
        int i = first + thread;
        bool hit = false;
        float4 disc;
        if (i < count) {
            disc = circles[2 * i]; // x, y, radius, opacity
            float dx = disc.x - fminf(fmaxf(disc.x, left), left + tile);
            float dy = disc.y - fminf(fmaxf(disc.y, bottom), bottom + tile);
            hit = fmaf(dx, dx, dy * dy) <= disc.z * disc.z;
        }
        unsigned hits = __ballot_sync(all_lanes, hit);
        if (thread % 32 == 0) hits_of_warp[warp] = __popc(hits);
        __syncthreads();

        int position = __popc(hits & earlier_lanes);
        int length = 0;
        for (int w = 0; w < warps; ++w) {
            if (w < warp) position += hits_of_warp[w];
            length += hits_of_warp[w];
        }
        if (hit) {
            discs[position] = disc;
            colours[position] = circles[2 * i + 1];
        }
        __syncthreads();

        for (int k = 0; k < length; ++k) {
            float4 disc = discs[k];
            float dx = px - disc.x;
            float dy = py - disc.y;
            if (fmaf(dx, dx, dy * dy) > disc.z * disc.z) continue;
            float4 colour = colours[k];
            pixel.x = fmaf(disc.w, colour.x - pixel.x, pixel.x);
            pixel.y = fmaf(disc.w, colour.y - pixel.y, pixel.y);
            pixel.z = fmaf(disc.w, colour.z - pixel.z, pixel.z);
        }
    }
    int x = blockIdx.x * tile + threadIdx.x;
    int y = blockIdx.y * tile + threadIdx.y;
    if (x < width && y < height) pixels[y * width + x] = pixel;
}
