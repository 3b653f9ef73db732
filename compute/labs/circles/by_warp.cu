// Scan, by warp: a block lists the circles that touch its 32 × 32 pixels. Then each warp goes through the list for its
// own 8 × 4 pixels: each lane tests one circle, and the bits of a ballot are the warp's list, in order.
constexpr int tile = 32;
constexpr int threads = tile * tile;
constexpr unsigned all_lanes = 0xffffffff;

__device__ bool touches(float4 disc, float left, float bottom, float width, float height)
{
    float dx = disc.x - fminf(fmaxf(disc.x, left), left + width);
    float dy = disc.y - fminf(fmaxf(disc.y, bottom), bottom + height);
    return fmaf(dx, dx, dy * dy) <= disc.z * disc.z;
}

extern "C" __global__ void circles_by_warp(const float4* circles, float4* pixels, int count,
                                           int width, int height)
{
    __shared__ float4 discs[threads]; // those of this round that touch the tile, in order
    __shared__ float4 colours[threads];
    __shared__ int warp_sums[32];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    float left = blockIdx.x * tile;
    float bottom = blockIdx.y * tile;
    float warp_left = left + warp % 4 * 8; // 4 × 8 warps per tile
    float warp_bottom = bottom + warp / 4 * 4;
    float px = warp_left + lane % 8 + 0.5f;
    float py = warp_bottom + lane / 8 + 0.5f;

    float4 pixel = make_float4(0, 0, 0, 0);
    for (int first = 0; first < count; first += threads) {
        int i = first + threadIdx.x;
        bool hit = false;
        float4 disc;
        if (i < count) {
            disc = circles[2 * i]; // x, y, radius, opacity
            hit = touches(disc, left, bottom, tile, tile);
        }
        unsigned hits = __ballot_sync(all_lanes, hit);
        if (lane == 0) warp_sums[warp] = __popc(hits);
        __syncthreads();

        int sum = warp_sums[lane]; // every warp scans the 32 sums for itself
        for (int offset = 1; offset < 32; offset *= 2) {
            int other = __shfl_up_sync(all_lanes, sum, offset);
            if (lane >= offset) sum += other;
        }
        int length = __shfl_sync(all_lanes, sum, 31);
        int before = __shfl_sync(all_lanes, sum, warp) - __popc(hits);
        if (hit) {
            int position = before + __popc(hits & ((1u << lane) - 1));
            discs[position] = disc;
            colours[position] = circles[2 * i + 1];
        }
        __syncthreads();

        for (int start = 0; start < length; start += 32) {
            int k = start + lane;
            bool mine = k < length && touches(discs[k], warp_left, warp_bottom, 8, 4);
            unsigned list = __ballot_sync(all_lanes, mine);
            for (; list != 0; list &= list - 1) {
                int next = start + __ffs(list) - 1; // lowest bit: the lowest circle
                float4 disc = discs[next];
                float dx = px - disc.x;
                float dy = py - disc.y;
                if (fmaf(dx, dx, dy * dy) > disc.z * disc.z) continue;
                float4 colour = colours[next];
                pixel.x = fmaf(disc.w, colour.x - pixel.x, pixel.x);
                pixel.y = fmaf(disc.w, colour.y - pixel.y, pixel.y);
                pixel.z = fmaf(disc.w, colour.z - pixel.z, pixel.z);
            }
        }
    }
    int x = (int)px;
    int y = (int)py;
    if (x < width && y < height) pixels[y * width + x] = pixel;
}
