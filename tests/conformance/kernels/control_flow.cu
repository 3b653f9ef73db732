// Every kind of divergent branch: nested, in loops, in a switch, with early exit.
extern "C" __global__ void nested_branches(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i];
    if (x & 1) {
        if (x & 2) x = x * 3 + 1;
        else if (x & 4) x ^= 0x5555u;
        else x -= 17;
        if (x % 5 == 0) x += i;
    } else {
        x = (x & 8) ? x >> 3 : x << 2;
    }
    out[i] = x;
}

extern "C" __global__ void collatz(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long x = in[i] % 10000 + 1;
    unsigned steps = 0;
    while (x != 1 && steps < 400) {
        x = (x & 1) ? 3 * x + 1 : x / 2;
        ++steps;
    }
    out[i] = steps;
}

extern "C" __global__ void switches(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i];
    for (int round = 0; round < 5; ++round) {
        switch (x % 11) {
        case 0: x += 7; break;
        case 1: x *= 5; break;
        case 2: x ^= x >> 7;
        case 3: x -= 3; break;
        case 4: x = ~x; break;
        case 5: x = __brev(x); break;
        case 6: x += i; break;
        case 7: x = x / 3 + 1; break;
        case 8: x <<= 1; break;
        case 9: x |= 0x10; break;
        default: x = 12345 - x; break;
        }
    }
    out[i] = x;
}

extern "C" __global__ void early_returns(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 7 == 3) return;
    unsigned sum = 0;
    for (unsigned k = 0; k < 64; ++k) {
        const unsigned x = in[(i + k) % 640];
        if (x == 0) continue;
        if (x % 13 == 0) break;
        if (x % 29 == 0) {
            out[i] = 1000000 + k;
            return;
        }
        sum += x;
    }
    out[i] = sum;
}

extern "C" __global__ void short_circuit(unsigned* out, const unsigned* in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = in[i];
    unsigned r = 0;
    if ((x > 100 && in[x % 640] > x) || (x & 0x80 && i % 3 == 0)) r |= 1;
    if (!(x & 1) != !(i & 1)) r |= 2;
    do {
        r = r * 2 + 1;
    } while (r < (x & 0xffff) && r != 0);
    for (unsigned a = 0; a < (x & 7); ++a)
        for (unsigned b = a; b < (i & 7); ++b) r += a * b + 1;
    out[i] = r;
}
