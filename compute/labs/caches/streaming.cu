// Streaming: __ldcs and __stcs (ld.global.cs, st.global.cs) mark data that is used once. Its lines are the first to be
// evicted, so that it does not displace what others will use again.
extern "C" __global__ void caches_streaming(float* data, int n, int rounds, float keep)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = __ldcs(data + i);
    for (int round = 0; round < rounds; ++round) x = keep * x + (1 - keep);
    __stcs(data + i, x);
}
