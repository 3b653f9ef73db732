// Litmus tests: up to four threads in different blocks store to x and y and load from them. All numbers start at 0 and
// become 1. Which combinations of loaded values may remain? A form says how each access and each fence is executed.
struct Relaxed { // each access is atomic, and nothing orders two of them
    static __device__ int load(const int* from)
    {
        int value;
        asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
        return value;
    }
    static __device__ void store(int* to) { asm volatile("st.relaxed.gpu.s32 [%0], 1;" ::"l"(to) : "memory"); }
    static __device__ void fence() {}
};
struct BlockFence : Relaxed { // orders accesses for threads of the same block: these are in others
    static __device__ void fence() { __threadfence_block(); }
};
struct AcquireRelease { // a load that reads from a store sees all that came before the store
    static __device__ int load(const int* from)
    {
        int value;
        asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
        return value;
    }
    static __device__ void store(int* to) { asm volatile("st.release.gpu.s32 [%0], 1;" ::"l"(to) : "memory"); }
    static __device__ void fence() {}
};
struct DeviceFence : Relaxed { // all fences of the device have an order, and all threads agree on it
    static __device__ void fence() { __threadfence(); }
};
struct Plain { // a data race: threads of two blocks access x, and one of them stores
    static __device__ int load(const int* from) { return *from; }
    static __device__ void store(int* to) { *to = 1; }
    static __device__ void fence() {}
};

// The part of one thread in one test; what it loads goes to `loaded`, in the order of the tests' lines.
template <class Form>
__device__ void play(int test, int role, int* x, int* y, int* loaded)
{
    const auto store = [](int* to) { Form::store(to); };
    const auto load = [](const int* from) { return Form::load(from); };
    const auto fence = [] { Form::fence(); };

    if (test == 0) { // message passing: data in x, a flag in y
        if (role == 0) { store(x); fence(); store(y); }
        if (role == 1) { loaded[0] = load(y); fence(); loaded[1] = load(x); }
    } else if (test == 1) { // store buffering: each stores, then looks for the other
        if (role == 0) { store(x); fence(); loaded[0] = load(y); }
        if (role == 1) { store(y); fence(); loaded[1] = load(x); }
    } else if (test == 2) { // load buffering: each looks for the other, then stores
        if (role == 0) { loaded[0] = load(x); fence(); store(y); }
        if (role == 1) { loaded[1] = load(y); fence(); store(x); }
    } else if (test == 3) { // coherence: one thread loads x twice
        if (role == 0) { store(x); }
        if (role == 1) { loaded[0] = load(x); fence(); loaded[1] = load(x); }
    } else if (test == 4) { // write to read: a thread passes on what it has seen
        if (role == 0) { store(x); }
        if (role == 1) { loaded[0] = load(x); fence(); store(y); }
        if (role == 2) { loaded[1] = load(y); fence(); loaded[2] = load(x); }
    } else { // independent reads of independent writes: do two readers agree on the order?
        if (role == 0) { store(x); }
        if (role == 1) { store(y); }
        if (role == 2) { loaded[0] = load(x); fence(); loaded[1] = load(y); }
        if (role == 3) { loaded[2] = load(y); fence(); loaded[3] = load(x); }
    }
}

// blockIdx.x is the thread's role, blockIdx.y the test, threadIdx.x the instance of the test.
template <class Form>
__device__ void play_all(int* memory, int* loaded)
{
    int instance = blockIdx.y * blockDim.x + threadIdx.x;
    int instances = gridDim.y * blockDim.x;
    play<Form>(blockIdx.y, blockIdx.x, &memory[instance], &memory[instances + instance], &loaded[4 * instance]);
}

extern "C" __global__ void litmus_relaxed(int* memory, int* loaded) { play_all<Relaxed>(memory, loaded); }
extern "C" __global__ void litmus_block_fence(int* memory, int* loaded) { play_all<BlockFence>(memory, loaded); }
extern "C" __global__ void litmus_acquire_release(int* memory, int* loaded) { play_all<AcquireRelease>(memory, loaded); }
extern "C" __global__ void litmus_device_fence(int* memory, int* loaded) { play_all<DeviceFence>(memory, loaded); }
extern "C" __global__ void litmus_plain(int* memory, int* loaded) { play_all<Plain>(memory, loaded); }
