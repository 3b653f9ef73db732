// Blelloch: a tree of sums is built upwards and then emptied downwards. Twice as many rounds as Hillis–Steele, but
// only three additions per element, one of them for the inclusive sum. Its strides cause bank conflicts.
constexpr int block = 256; // elements per block; half as many threads

extern "C" __global__ void scan_blelloch(const float* from, float* to, float* sums, int count)
{
    __shared__ float tree[block];
    int t = threadIdx.x; // 0 to 127
    int first = blockIdx.x * block;
    int low = first + t, high = first + t + block / 2;
    float from_low = low < count ? from[low] : 0.0f;
    float from_high = high < count ? from[high] : 0.0f;
    tree[t] = from_low;
    tree[t + block / 2] = from_high;

    for (int offset = 1; offset < block; offset *= 2) { // up: sums of pairs, of fours, …
        __syncthreads();
        int right = 2 * offset * (t + 1) - 1;
        if (right < block) tree[right] += tree[right - offset];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = tree[block - 1];
        tree[block - 1] = 0;
    }
    for (int offset = block / 2; offset > 0; offset /= 2) { // down: the sum before each part
        __syncthreads();
        int right = 2 * offset * (t + 1) - 1;
        if (right < block) {
            float before = tree[right];
            tree[right] += tree[right - offset];
            tree[right - offset] = before;
        }
    }
    __syncthreads();
    // The tree holds the sum before each element; adding the element gives the running sum.
    if (low < count) to[low] = tree[t] + from_low;
    if (high < count) to[high] = tree[t + block / 2] + from_high;
}
