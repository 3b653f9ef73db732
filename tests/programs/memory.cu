// Memory of every kind: pitched, managed, pinned, mapped, from pools, variables, arrays, mipmapped arrays and textures.
#include "programs.h"

#include <numeric>

__global__ void add_to(int* values, int n, int what)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] += what;
}

__global__ void add_rows(char* base, std::size_t pitch, int width, int height)
{
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < width && y < height) reinterpret_cast<int*>(base + y * pitch)[x] += 1000 * y;
}

PROGRAM(pitched)
{
    const int width = 50, height = 9;
    std::vector<int> values(width * height);
    std::iota(values.begin(), values.end(), 0);
    char* device;
    std::size_t pitch = 0;
    CHECK(cudaMallocPitch(&device, &pitch, width * sizeof(int), height));
    CHECK(cudaMemcpy2D(device, pitch, values.data(), width * sizeof(int), width * sizeof(int), height,
                       cudaMemcpyHostToDevice));
    add_rows<<<height, 64>>>(device, pitch, width, height);
    std::vector<int> result(width * height);
    CHECK(cudaMemcpy2D(result.data(), width * sizeof(int), device, pitch, width * sizeof(int), height,
                       cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < width * height; ++i) right = right && result[i] == i + 1000 * (i / width);
    CHECK(cudaFree(device));
    std::printf("pitch %zu\n", pitch);
    return passed(right);
}

PROGRAM(managed)
{
    const int n = 300;
    int* values;
    CHECK(cudaMallocManaged(&values, n * sizeof(int)));
    for (int i = 0; i < n; ++i) values[i] = i;
    add_to<<<3, 128>>>(values, n, 5);
    CHECK(cudaDeviceSynchronize());
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += values[i];
    std::printf("%d\n", sum);
    CHECK(cudaFree(values));
    return passed(sum == n * (n - 1) / 2 + 5 * n);
}

struct Link {
    int value;
    Link* next;
};
__global__ void sum_list(const Link* first, int* sum)
{
    for (; first; first = first->next) *sum += first->value;
}

PROGRAM(managed_list)
{
    Link* first = nullptr;
    std::vector<Link*> all;
    for (int i = 1; i <= 20; ++i) {
        Link* link;
        CHECK(cudaMallocManaged(&link, sizeof(Link)));
        *link = {i, first};
        first = link;
        all.push_back(link);
    }
    int* sum;
    CHECK(cudaMallocManaged(&sum, sizeof(int)));
    *sum = 0;
    sum_list<<<1, 1>>>(first, sum);
    CHECK(cudaDeviceSynchronize());
    std::printf("%d\n", *sum);
    const bool right = *sum == 210;
    for (Link* link : all) cudaFree(link);
    cudaFree(sum);
    return passed(right);
}

PROGRAM(pinned)
{
    const int n = 400;
    int* host;
    int* device;
    CHECK(cudaMallocHost(&host, n * sizeof(int)));
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    for (int i = 0; i < n; ++i) host[i] = i;
    CHECK(cudaMemcpyAsync(device, host, n * sizeof(int), cudaMemcpyHostToDevice));
    add_to<<<4, 128>>>(device, n, 3);
    CHECK(cudaMemcpyAsync(host, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    bool right = true;
    for (int i = 0; i < n; ++i) right = right && host[i] == i + 3;
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return passed(right);
}

PROGRAM(mapped)
{
    const int n = 64;
    int *host, *device;
    CHECK(cudaHostAlloc(&host, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device, host, 0));
    for (int i = 0; i < n; ++i) host[i] = 2 * i;
    add_to<<<1, n>>>(device, n, 1);
    CHECK(cudaDeviceSynchronize());
    bool right = true;
    for (int i = 0; i < n; ++i) right = right && host[i] == 2 * i + 1;
    CHECK(cudaFreeHost(host));
    return passed(right);
}

PROGRAM(registered)
{
    std::vector<int> host(100, 1);
    CHECK(cudaHostRegister(host.data(), host.size() * sizeof(int), cudaHostRegisterDefault));
    int* device;
    CHECK(cudaMalloc(&device, 100 * sizeof(int)));
    CHECK(cudaMemcpyAsync(device, host.data(), 100 * sizeof(int), cudaMemcpyHostToDevice));
    add_to<<<1, 128>>>(device, 100, 41);
    CHECK(cudaMemcpyAsync(host.data(), device, 100 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(nullptr));
    const int sum = std::accumulate(host.begin(), host.end(), 0);
    CHECK(cudaHostUnregister(host.data()));
    CHECK(cudaFree(device));
    std::printf("%d\n", sum);
    return passed(sum == 4200);
}

__constant__ float polynomial[4];
__device__ int calls = 10;
__managed__ int managed_total = 1;

__global__ void evaluate(float* values, int n)
{
    const int i = threadIdx.x;
    if (i < n) {
        const float x = values[i];
        values[i] = ((polynomial[3] * x + polynomial[2]) * x + polynomial[1]) * x + polynomial[0];
        atomicAdd(&calls, 1);
        atomicAdd(&managed_total, i);
    }
}

PROGRAM(symbols)
{
    const float coefficients[4] = {1, 2, 3, 4};
    CHECK(cudaMemcpyToSymbol(polynomial, coefficients, sizeof coefficients));
    std::vector<float> values{0, 1, 2, 3};
    float* device = device_copy(values);
    evaluate<<<1, 32>>>(device, 4);
    values = host_copy(device, 4);
    int count = 0;
    CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
    std::size_t bytes = 0;
    CHECK(cudaGetSymbolSize(&bytes, polynomial));
    CHECK(cudaDeviceSynchronize());
    std::printf("%.0f %.0f %d %d %zu\n", values[1], values[3], count, managed_total, bytes);
    CHECK(cudaFree(device));
    return passed(values[3] == 142 && count == 14 && managed_total == 7 && bytes == 16);
}

PROGRAM(pools)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ull;
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    int total = 0;
    for (int round = 1; round <= 3; ++round) {
        int* values;
        CHECK(cudaMallocAsync(&values, 128 * sizeof(int), stream));
        CHECK(cudaMemsetAsync(values, 0, 128 * sizeof(int), stream));
        add_to<<<1, 128, 0, stream>>>(values, 128, round);
        int host[128];
        CHECK(cudaMemcpyAsync(host, values, sizeof host, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(values, stream));
        CHECK(cudaStreamSynchronize(stream));
        for (int value : host) total += value;
    }
    CHECK(cudaStreamDestroy(stream));
    std::printf("%d\n", total);
    return passed(total == 128 * 6);
}

PROGRAM(memset_kinds)
{
    unsigned char* device;
    std::size_t pitch;
    CHECK(cudaMallocPitch(&device, &pitch, 40, 6));
    CHECK(cudaMemset2D(device, pitch, 7, 40, 6));
    CHECK(cudaMemset2D(device + pitch, pitch, 9, 10, 2));
    std::vector<unsigned char> host(40 * 6);
    CHECK(cudaMemcpy2D(host.data(), 40, device, pitch, 40, 6, cudaMemcpyDeviceToHost));
    const int sum = std::accumulate(host.begin(), host.end(), 0);
    CHECK(cudaFree(device));
    cudaPitchedPtr cube;
    CHECK(cudaMalloc3D(&cube, make_cudaExtent(16, 4, 3)));
    CHECK(cudaMemset3D(cube, 2, make_cudaExtent(16, 4, 3)));
    std::vector<unsigned char> cells(16 * 4 * 3);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = cube;
    copy.dstPtr = make_cudaPitchedPtr(cells.data(), 16, 16, 4);
    copy.extent = make_cudaExtent(16, 4, 3);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    const int cell_sum = std::accumulate(cells.begin(), cells.end(), 0);
    CHECK(cudaFree(cube.ptr));
    std::printf("%d %d\n", sum, cell_sum);
    return passed(sum == 40 * 6 * 7 + 20 * 2 && cell_sum == 2 * 16 * 4 * 3);
}

PROGRAM(pointer_kinds)
{
    int *device, *host, *managed;
    CHECK(cudaMalloc(&device, 16));
    CHECK(cudaMallocHost(&host, 16));
    CHECK(cudaMallocManaged(&managed, 16));
    int local = 0;
    int types[4];
    const void* pointers[4] = {device, host, managed, &local};
    for (int i = 0; i < 4; ++i) {
        cudaPointerAttributes attributes;
        CHECK(cudaPointerGetAttributes(&attributes, pointers[i]));
        types[i] = attributes.type;
    }
    std::printf("%d %d %d %d\n", types[0], types[1], types[2], types[3]);
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(managed));
    return passed(types[0] == 2 && types[1] == 1 && types[2] == 3 && types[3] == 0);
}

struct Padded {
    double number;
    int index; // four bytes of padding follow
};

__global__ void fill_padded(Padded* values)
{
    values[threadIdx.x].number = threadIdx.x / 2.0;
    values[threadIdx.x].index = threadIdx.x;
}

// The padding is never written, and never read.
PROGRAM(struct_padding)
{
    Padded* device;
    CHECK(cudaMalloc(&device, 64 * sizeof(Padded)));
    fill_padded<<<1, 64>>>(device);
    const auto values = host_copy(device, 64);
    CHECK(cudaFree(device));
    return passed(values[63].index == 63 && values[63].number == 31.5);
}

__global__ void sample(cudaTextureObject_t texture, float* out, int width, int height)
{
    const int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

PROGRAM(texture_array)
{
    const int width = 16, height = 8;
    std::vector<float> values(width * height);
    std::iota(values.begin(), values.end(), 0.0f);
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &channels, width, height));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, values.data(), width * sizeof(float), width * sizeof(float), height,
                              cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    description.filterMode = cudaFilterModePoint;
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    float* out;
    CHECK(cudaMalloc(&out, width * height * sizeof(float)));
    sample<<<1, dim3(width, height)>>>(texture, out, width, height);
    const auto result = host_copy(out, width * height);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(out));
    return passed(result == values);
}

__global__ void fetch(cudaTextureObject_t texture, int* out, int n)
{
    const int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<int>(texture, n - 1 - i);
}

__global__ void shrink(cudaTextureObject_t image, float* out, int width, int height)
{
    const int x = threadIdx.x, y = blockIdx.x;
    if (x < width) out[y * width + x] = tex2D<float>(image, (x + 0.5f) / width, (y + 0.5f) / height);
}

PROGRAM(texture_pitched)
{
    constexpr int width = 100, height = 60;
    std::vector<float> values(width * height);
    for (int i = 0; i < width * height; ++i) values[i] = i % width + i / width;
    float *rows, *out;
    std::size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, width * sizeof(float), height));
    CHECK(cudaMemcpy2D(rows, pitch, values.data(), width * sizeof(float), width * sizeof(float),
                       height, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&out, values.size()));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc description{};
    description.normalizedCoords = true;
    description.filterMode = cudaFilterModeLinear;
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeMirror;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    shrink<<<height / 2, 64>>>(texture, out, width / 2, height / 2);
    const auto result = host_copy(out, width * height / 4);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(rows));
    CHECK(cudaFree(out));
    return passed(pitch > width * sizeof(float) && result[7] == 15.0f &&
                  result[width / 2 + 3] == 9.0f);
}

template <class T>
struct TextureOf {
    cudaArray_t array = nullptr;
    cudaTextureObject_t texture = 0;

    TextureOf(const std::vector<T>& texels, int width, const cudaTextureDesc& description,
              cudaChannelFormatDesc channels = cudaCreateChannelDesc<T>())
    {
        const int height = static_cast<int>(texels.size()) / width;
        if (cudaMallocArray(&array, &channels, width, height, cudaArraySurfaceLoadStore) != cudaSuccess) return;
        cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * sizeof(T), width * sizeof(T), height,
                            cudaMemcpyHostToDevice);
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    }
    ~TextureOf()
    {
        cudaDestroyTextureObject(texture);
        cudaFreeArray(array);
    }
};

template <class T>
__global__ void read_texels(cudaTextureObject_t texture, T* out, float first, float step)
{
    out[threadIdx.x] = tex2D<T>(texture, first + step * threadIdx.x, 0.5f);
}

// Samples along the first row.
template <class T>
std::vector<T> samples(cudaTextureObject_t texture, int count, float first, float step)
{
    T* out;
    if (cudaMalloc(&out, count * sizeof(T)) != cudaSuccess) return {};
    read_texels<T><<<1, count>>>(texture, out, first, step);
    const auto result = host_copy(out, count);
    cudaFree(out);
    return result;
}

// Texels of 8 and 16 bits in one, two and four channels, as integers, as [0, 1] and [-1, 1], and
// filtered; the values are those of an H200.
PROGRAM(texture_formats)
{
    cudaTextureDesc as_stored{}, as_numbers{}, filtered{};
    for (cudaTextureDesc* one : {&as_stored, &as_numbers, &filtered})
        one->addressMode[0] = one->addressMode[1] = cudaAddressModeClamp;
    as_numbers.readMode = filtered.readMode = cudaReadModeNormalizedFloat;
    filtered.filterMode = cudaFilterModeLinear;

    TextureOf<uchar2> pairs({{1, 2}, {250, 255}}, 2, as_stored);
    const auto stored_pairs = samples<uchar2>(pairs.texture, 2, 0.5f, 1);
    TextureOf<short4> fours({{-1, 2, -32768, 32767}, {5, 6, 7, 8}}, 2, as_stored);
    const auto stored_fours = samples<short4>(fours.texture, 2, 0.5f, 1);
    TextureOf<signed char> bytes({-128, -127, 64, 127}, 4, as_numbers);
    const auto signed_bytes = samples<float>(bytes.texture, 4, 0.5f, 1);
    TextureOf<unsigned short> words({0, 65535}, 2, filtered);
    const auto halfway = samples<float>(words.texture, 1, 1.0f, 0);
    TextureOf<short2> signed_words({{-32768, 100}, {-32768, 200}}, 2, filtered);
    const auto clamped = samples<float2>(signed_words.texture, 1, 1.0f, 0);
    as_stored.filterMode = cudaFilterModeLinear; // 1 and 3, -0.5 and 65504 as halves
    TextureOf<ushort2> halves({{0x3c00, 0xb800}, {0x4200, 0x7bff}}, 2, as_stored,
                              cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat));
    const auto between = samples<float2>(halves.texture, 3, 0.5f, 0.5f);
    if (stored_pairs.empty() || between.empty()) return 1;
    std::printf("%d %d %d %d\n", stored_fours[0].x, stored_fours[0].y, stored_fours[0].z, stored_fours[0].w);
    std::printf("%.9g %.9g %.9g\n", signed_bytes[0], signed_bytes[2], halfway[0]);
    std::printf("%.9g %.9g\n", clamped[0].x, clamped[0].y);
    std::printf("%g %g %g %g\n", between[0].y, between[1].x, between[1].y, between[2].y);
    return passed(stored_pairs[1].x == 250 && stored_pairs[1].y == 255 && stored_fours[0].x == -1 &&
                  stored_fours[0].z == -32768 && stored_fours[1].w == 8 && signed_bytes[0] == -1 &&
                  signed_bytes[1] == -1 && signed_bytes[2] == 64.0f / 127.0f && signed_bytes[3] == 1 &&
                  halfway[0] == 32768.0f / 65535.0f && clamped[0].x == -1 && clamped[0].y == 150.0f / 32767.0f &&
                  between[0].x == 1 && between[1].x == 2 && between[2].x == 3 && between[2].y == 65504);
}

__global__ void negate_texels(cudaSurfaceObject_t surface)
{
    short2 texel;
    surf2Dread(&texel, surface, threadIdx.x * sizeof(short2), threadIdx.y);
    texel.x = -texel.x;
    surf2Dwrite(texel, surface, threadIdx.x * sizeof(short2), threadIdx.y);
}

PROGRAM(surface_of_short_pairs)
{
    cudaTextureDesc description{};
    TextureOf<short2> image({{1, 2}, {3, 4}, {5, 6}, {7, 8}}, 2, description);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image.array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    negate_texels<<<1, dim3(2, 2)>>>(surface);
    std::vector<short2> texels(4);
    CHECK(cudaMemcpy2DFromArray(texels.data(), 8, image.array, 0, 0, 8, 2, cudaMemcpyDeviceToHost));
    CHECK(cudaDestroySurfaceObject(surface));
    return passed(texels[0].x == -1 && texels[1].y == 4 && texels[3].x == -7 && texels[3].y == 8);
}

// Outside the image in border mode, converted to the type of the texels.
PROGRAM(texture_border)
{
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeBorder;
    const float border[4] = {0.25f, -2.0f, 0.75f, 1};
    std::memcpy(description.borderColor, border, sizeof border);
    TextureOf<float2> floats({{8, 8}}, 1, description);
    const auto outside = samples<float2>(floats.texture, 2, -3.5f, 4);
    description.readMode = cudaReadModeNormalizedFloat;
    TextureOf<short2> shorts({{8, 8}}, 1, description);
    const auto converted = samples<float2>(shorts.texture, 1, -3.5f, 0);
    if (outside.empty() || converted.empty()) return 1;
    std::printf("%g %g %.9g %g\n", outside[0].x, outside[0].y, converted[0].x, converted[0].y);
    return passed(outside[0].x == 0.25f && outside[0].y == -2 && outside[1].x == 8 &&
                  converted[0].x == 8192.0f / 32767.0f && converted[0].y == -1);
}

__global__ void read_levels(cudaTextureObject_t texture, float* out)
{
    out[threadIdx.x] = tex2DLod<float>(texture, 0.5f, 0.5f, threadIdx.x * 0.5f);
}

__global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    const int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
        float value;
        surf2Dread(&value, from, (2 * x + i % 2) * sizeof(float), 2 * y + i / 2);
        sum += value;
    }
    surf2Dwrite(sum + 100, to, x * sizeof(float), y);
}

// A pyramid: the host fills the first level, kernels the others, and tex2DLod reads between them.
PROGRAM(mipmapped_array)
{
    const int size = 8, count = 4;
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t pyramid;
    CHECK(cudaMallocMipmappedArray(&pyramid, &channels, {size, size, 0}, 9, cudaArraySurfaceLoadStore));
    const std::vector<float> ones(size * size, 1.0f);
    cudaArray_t level;
    cudaSurfaceObject_t surfaces[count];
    for (unsigned i = 0; i < count; ++i) {
        CHECK(cudaGetMipmappedArrayLevel(&level, pyramid, i));
        if (i == 0)
            CHECK(cudaMemcpy2DToArray(level, 0, 0, ones.data(), size * 4, size * 4, size, cudaMemcpyHostToDevice));
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = level;
        CHECK(cudaCreateSurfaceObject(&surfaces[i], &resource));
    }
    const bool ended = cudaGetMipmappedArrayLevel(&level, pyramid, count) == cudaErrorInvalidValue;
    cudaGetLastError();
    for (int i = 1; i < count; ++i)
        halve<<<1, dim3(size >> i, size >> i)>>>(surfaces[i - 1], surfaces[i]);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = pyramid;
    cudaTextureDesc description{};
    description.normalizedCoords = true;
    description.mipmapFilterMode = cudaFilterModeLinear;
    description.maxMipmapLevelClamp = 2.5f;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    float* out;
    CHECK(cudaMalloc(&out, 8 * sizeof(float)));
    read_levels<<<1, 8>>>(texture, out);
    const auto values = host_copy(out, 8);
    for (const float value : values) std::printf("%g ", value);
    std::printf("\n");
    CHECK(cudaDestroyTextureObject(texture));
    for (const auto surface : surfaces) CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeMipmappedArray(pyramid));
    CHECK(cudaFree(out));
    // 1, 104, 516, 2164; the level is clamped to 2.5.
    return passed(ended && values[0] == 1 && values[1] == 52.5f && values[2] == 104 && values[4] == 516 &&
                  values[5] == 1340 && values[7] == 1340);
}

PROGRAM(texture_linear)
{
    std::vector<int> values(60);
    std::iota(values.begin(), values.end(), 100);
    int* device = device_copy(values);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = device;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = values.size() * sizeof(int);
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    int* out;
    CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    fetch<<<1, 64>>>(texture, out, 62); // begins two texels past the end
    const auto result = host_copy(out, 62);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(device));
    CHECK(cudaFree(out));
    std::printf("%d %d %d\n", result[1], result[2], result[61]);
    return passed(result[0] == 0 && result[1] == 0 && result[2] == 159 && result[61] == 100);
}

__global__ void paint(cudaSurfaceObject_t surface, int width, int height)
{
    const int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height) surf2Dwrite(static_cast<float>(10 * y + x), surface, x * sizeof(float), y);
}

PROGRAM(surface)
{
    const int width = 10, height = 6;
    const cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &channels, width, height, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    paint<<<1, dim3(16, 8)>>>(surface, width, height);
    std::vector<float> result(width * height);
    CHECK(cudaMemcpy2DFromArray(result.data(), width * sizeof(float), array, 0, 0, width * sizeof(float), height,
                                cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < width * height; ++i) right = right && result[i] == 10.0f * (i / width) + i % width;
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
    return passed(right);
}
