// The parts of the runtime API that only CUDA 12 has, called as a program built with CUDA 12 calls
// them: by the names in its headers and with its own structures. CUDA headers are not included:
// they would be those of CUDA 13.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

constexpr int success = 0, invalid_value = 1, not_supported = 801;
constexpr const char* library_12 = LANESCOPE_BINARY_DIR "/runtime/libcudart.so.12";
constexpr const char* library_13 = LANESCOPE_BINARY_DIR "/runtime/libcudart.so.13";

// Byte offsets of the fields of CUDA 12's cudaDeviceProp, which has 1032 bytes.
struct Field {
    const char* name;
    std::size_t offset;
    int value;
};

class Cuda12 : public testing::Test {
protected:
    void SetUp() override
    {
        if (!std::filesystem::exists(library_12))
            GTEST_SKIP() << "There is no " << library_12 << ": it is not built under a sanitizer.";
        library_ = dlopen(library_12, RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library_, nullptr) << dlerror();
    }

    template <class... Arguments>
    int call(const char* name, Arguments... arguments)
    {
        auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name));
        if (function == nullptr) {
            ADD_FAILURE() << "There is no " << name;
            return -1;
        }
        return function(arguments...);
    }

    void* library_ = nullptr;
};

using Handle = void*;

TEST_F(Cuda12, DevicePropertiesUseItsLayout)
{
    constexpr std::size_t bytes = 1032;
    alignas(8) unsigned char properties[bytes + 64];
    std::memset(properties, 0xa5, sizeof properties);
    ASSERT_EQ(call("cudaGetDeviceProperties_v2", static_cast<void*>(properties), 0), success);
    EXPECT_NE(std::string(reinterpret_cast<char*>(properties)).find("H100"), std::string::npos);
    constexpr Field fields[] = {
        {"warpSize", 308, 32},
        {"maxThreadsPerBlock", 320, 1024},
        {"clockRate", 348, 1980000},
        {"major", 360, 9},
        {"deviceOverlap", 384, 1},
        {"multiProcessorCount", 388, 132},
        {"canMapHostMemory", 400, 1},
        {"maxTexture2D", 420, 131072},
        {"surfaceAlignment", 568, 512},
        {"concurrentKernels", 576, 1},
        {"memoryClockRate", 608, 2619000},
        {"l2CacheSize", 616, 52428800},
        {"regsPerMultiprocessor", 648, 65536},
        {"singleToDoublePrecisionPerfRatio", 668, 2},
        {"cooperativeLaunch", 688, 1},
        {"cooperativeMultiDeviceLaunch", 692, 0},
        {"sharedMemPerBlockOptin", 696, 232448},
        {"hostRegisterSupported", 728, 1},
        {"memoryPoolsSupported", 744, 1},
        {"clusterLaunch", 772, 1},
    };
    for (const Field& field : fields) {
        int value = -1;
        std::memcpy(&value, properties + field.offset, sizeof value);
        EXPECT_EQ(value, field.value) << field.name;
    }
    for (std::size_t i = 0; i < 64; ++i)
        EXPECT_EQ(properties[bytes + i], 0xa5) << "byte " << i << " after it";
    EXPECT_EQ(call("cudaGetDeviceProperties_v2", static_cast<void*>(nullptr), 0), invalid_value);
    EXPECT_EQ(call("cudaGetDeviceProperties_v2", static_cast<void*>(properties), 99), 101);
}

TEST_F(Cuda12, ReportsItsVersion)
{
    int version = 0;
    ASSERT_EQ(call("cudaRuntimeGetVersion", &version), success);
    EXPECT_EQ(version / 1000, 12);
    EXPECT_EQ(call("cudaRuntimeGetVersion", static_cast<int*>(nullptr)), invalid_value);
}

// CUDA 13's structure is longer, but a program built with CUDA 12 only provides the shorter one.
TEST_F(Cuda12, PointerAttributesAreNotOverrun)
{
    struct {
        int type, device;
        void *device_pointer, *host_pointer;
        unsigned char guard[64];
    } attributes;
    for (const bool known : {true, false}) {
        void* pointer = &attributes;
        if (known) {
            ASSERT_EQ(call("cudaMalloc", &pointer, std::size_t{64}), success);
        }
        std::memset(&attributes, 0xa5, sizeof attributes);
        ASSERT_EQ(call("cudaPointerGetAttributes", static_cast<void*>(&attributes),
                       static_cast<const void*>(pointer)),
                  success);
        EXPECT_EQ(attributes.type, known ? 2 : 0);
        EXPECT_EQ(attributes.device, known ? 0 : -2);
        EXPECT_EQ(attributes.device_pointer, known ? pointer : nullptr);
        EXPECT_EQ(attributes.host_pointer, known ? nullptr : pointer);
        for (const unsigned char byte : attributes.guard) EXPECT_EQ(byte, 0xa5);
        if (known) {
            EXPECT_EQ(call("cudaFree", pointer), success);
        }
    }
}

TEST_F(Cuda12, ResourceDescriptionIsNotOverrun)
{
    struct Description {
        int type = 0; // 0: an array
        Handle array = nullptr;
        std::uint64_t rest[6] = {};
        unsigned char guard[96] = {};
    } given, got;
    static_assert(offsetof(Description, guard) == 64);
    struct {
        int x = 32, y = 0, z = 0, w = 0, kind = 2;
    } channels; // one channel of float
    ASSERT_EQ(call("cudaMallocArray", &given.array, static_cast<const void*>(&channels),
                   std::size_t{8}, std::size_t{4}, 2u),
              success);
    unsigned long long surface = 0;
    ASSERT_EQ(call("cudaCreateSurfaceObject", &surface, static_cast<const void*>(&given)), success);
    std::memset(static_cast<void*>(&got), 0xa5, sizeof got);
    ASSERT_EQ(call("cudaGetSurfaceObjectResourceDesc", static_cast<void*>(&got), surface), success);
    EXPECT_EQ(got.type, 0);
    EXPECT_EQ(got.array, given.array);
    for (const unsigned char byte : got.guard) EXPECT_EQ(byte, 0xa5);
    EXPECT_EQ(call("cudaDestroySurfaceObject", surface), success);
    EXPECT_EQ(call("cudaFreeArray", given.array), success);
}

// In CUDA 12 these names have no edge data, unlike in CUDA 13; the versions with edge data have
// names with _v2.
TEST_F(Cuda12, GraphEdgesHaveNoData)
{
    Handle graph = nullptr, nodes[3] = {};
    ASSERT_EQ(call("cudaGraphCreate", &graph, 0u), success);
    for (Handle& node : nodes)
        ASSERT_EQ(call("cudaGraphAddEmptyNode", &node, graph, static_cast<const Handle*>(nullptr),
                       std::size_t{0}),
                  success);
    const Handle from[] = {nodes[0], nodes[1]}, to[] = {nodes[1], nodes[2]};
    ASSERT_EQ(call("cudaGraphAddDependencies", graph, from + 0, to + 0, std::size_t{1}), success);
    ASSERT_EQ(call("cudaGraphAddDependencies_v2", graph, from + 1, to + 1,
                   static_cast<const void*>(nullptr), std::size_t{1}),
              success);

    std::size_t count = 2;
    Handle firsts[2] = {}, seconds[2] = {};
    ASSERT_EQ(call("cudaGraphGetEdges", graph, firsts + 0, seconds + 0, &count), success);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(firsts[1], nodes[1]);
    EXPECT_EQ(seconds[1], nodes[2]);
    unsigned char data[2 * 8];
    std::memset(data, 0xa5, sizeof data);
    ASSERT_EQ(call("cudaGraphGetEdges_v2", graph, firsts + 0, seconds + 0, static_cast<void*>(data),
                   &count),
              success);
    for (const unsigned char byte : data) EXPECT_EQ(byte, 0);

    Handle beside = nullptr;
    count = 1;
    ASSERT_EQ(call("cudaGraphNodeGetDependencies", nodes[1], &beside, &count), success);
    EXPECT_EQ(beside, nodes[0]);
    ASSERT_EQ(call("cudaGraphNodeGetDependentNodes", nodes[1], &beside, &count), success);
    EXPECT_EQ(beside, nodes[2]);
    ASSERT_EQ(call("cudaGraphNodeGetDependentNodes_v2", nodes[0], &beside,
                   static_cast<void*>(nullptr), &count),
              success);
    EXPECT_EQ(beside, nodes[1]);
    ASSERT_EQ(call("cudaGraphRemoveDependencies", graph, from + 0, to + 0, std::size_t{1}),
              success);
    count = 1;
    ASSERT_EQ(call("cudaGraphNodeGetDependencies_v2", nodes[1], static_cast<Handle*>(nullptr),
                   static_cast<void*>(nullptr), &count),
              success);
    EXPECT_EQ(count, 0u);
    Handle executable = nullptr;
    EXPECT_EQ(call("cudaGraphInstantiate", &executable, graph, 0ull), success);
    EXPECT_EQ(call("cudaGraphExecDestroy", executable), success);
    EXPECT_EQ(call("cudaGraphDestroy", graph), success);
}

TEST_F(Cuda12, CaptureInfoHasThreeForms)
{
    Handle stream = nullptr, graph = nullptr, reported = nullptr;
    const Handle* before = nullptr;
    const void* data = &data;
    int status = -1;
    unsigned long long id = 0, again = 0;
    std::size_t count = 7;
    ASSERT_EQ(call("cudaStreamCreate", &stream), success);
    ASSERT_EQ(call("cudaStreamGetCaptureInfo_v2", stream, &status, &id, &reported, &before, &count),
              success);
    EXPECT_EQ(status, 0);
    ASSERT_EQ(call("cudaStreamBeginCapture", stream, 0), success);
    ASSERT_EQ(call("cudaStreamGetCaptureInfo_v2", stream, &status, &id, &reported, &before, &count),
              success);
    EXPECT_EQ(status, 1);
    EXPECT_NE(reported, nullptr);
    EXPECT_EQ(count, 0u);
    ASSERT_EQ(call("cudaStreamGetCaptureInfo", stream, &status, &again), success);
    EXPECT_EQ(again, id);
    ASSERT_EQ(call("cudaStreamGetCaptureInfo_v3", stream, &status, &again, &reported, &before,
                   &data, &count),
              success);
    EXPECT_EQ(data, nullptr);
    ASSERT_EQ(call("cudaStreamEndCapture", stream, &graph), success);
    EXPECT_EQ(graph, reported);
    // The null stream is the legacy default stream or the per-thread one. Only the latter can be
    // captured.
    EXPECT_EQ(call("cudaStreamBeginCapture", static_cast<Handle>(nullptr), 0), 900);
    ASSERT_EQ(call("cudaStreamBeginCapture_ptsz", static_cast<Handle>(nullptr), 0), success);
    for (const char* name : {"cudaStreamGetCaptureInfo_v2", "cudaStreamGetCaptureInfo_v2_ptsz"}) {
        ASSERT_EQ(
            call(name, static_cast<Handle>(nullptr), &status, &id, &reported, &before, &count),
            success);
        EXPECT_EQ(status, std::string(name).ends_with("ptsz") ? 1 : 0);
    }
    ASSERT_EQ(call("cudaStreamEndCapture_ptsz", static_cast<Handle>(nullptr), &reported), success);
    EXPECT_EQ(call("cudaGraphDestroy", reported), success);
    EXPECT_EQ(call("cudaGraphDestroy", graph), success);
    EXPECT_EQ(call("cudaStreamDestroy", stream), success);
}

struct Location {
    int type, id;
};

TEST_F(Cuda12, ManagedMemoryLocationsAreDeviceNumbers)
{
    constexpr int read_mostly = 1, host = -1;
    const Handle stream = nullptr;
    void* memory = nullptr;
    ASSERT_EQ(call("cudaMallocManaged", &memory, std::size_t{4096}, 1u), success);
    const void* const pointer = memory;
    for (const int device : {0, host}) {
        EXPECT_EQ(call("cudaMemAdvise", pointer, std::size_t{4096}, read_mostly, device), success);
        EXPECT_EQ(call("cudaMemPrefetchAsync", pointer, std::size_t{4096}, device, stream),
                  success);
        EXPECT_EQ(call("cudaMemPrefetchAsync_ptsz", pointer, std::size_t{4096}, device, stream),
                  success);
    }
    EXPECT_EQ(call("cudaMemPrefetchAsync", pointer, std::size_t{4096}, 99, stream), 101);
    EXPECT_EQ(call("cudaMemPrefetchAsync", pointer, std::size_t{4096}, 0,
                   reinterpret_cast<Handle>(memory)),
              400);
    EXPECT_EQ(call("cudaMemAdvise_v2", pointer, std::size_t{4096}, read_mostly, Location{1, 0}),
              success);
    EXPECT_EQ(
        call("cudaMemPrefetchAsync_v2", pointer, std::size_t{4096}, Location{1, 0}, 0u, stream),
        success);
    EXPECT_EQ(call("cudaMemPrefetchAsync_v2_ptsz", pointer, std::size_t{4096}, Location{1, 99}, 0u,
                   stream),
              101);
    EXPECT_EQ(call("cudaFree", memory), success);
}

TEST_F(Cuda12, DeprecatedFunctionsWork)
{
    std::size_t bytes = 0;
    double number = 1.5;
    int config = -1;
    float ms = -1;
    Handle begin = nullptr, end = nullptr;
    const Handle stream = nullptr;
    EXPECT_EQ(call("cudaThreadSetLimit", 0, std::size_t{2048}), success);
    EXPECT_EQ(call("cudaThreadGetLimit", &bytes, 0), success);
    EXPECT_EQ(bytes, 2048u);
    EXPECT_EQ(call("cudaThreadSetCacheConfig", 1), success);
    EXPECT_EQ(call("cudaThreadGetCacheConfig", &config), success);
    EXPECT_EQ(config, 1);
    EXPECT_EQ(call("cudaSetDoubleForDevice", &number), success);
    EXPECT_EQ(call("cudaSetDoubleForHost", &number), success);
    EXPECT_EQ(number, 1.5);
    EXPECT_EQ(call("cudaEventCreate", &begin), success);
    EXPECT_EQ(call("cudaEventCreate", &end), success);
    EXPECT_EQ(call("cudaEventRecord", begin, stream), success);
    EXPECT_EQ(call("cudaEventRecord", end, stream), success);
    EXPECT_EQ(call("cudaThreadSynchronize"), success);
    EXPECT_EQ(call("cudaEventElapsedTime_v2", &ms, begin, end), success);
    EXPECT_GE(ms, 0);
    EXPECT_EQ(call("cudaEventDestroy", begin), success);
    EXPECT_EQ(call("cudaEventDestroy", end), success);
    EXPECT_EQ(call("cudaThreadExit"), success);
}

// A program that refers to functions that are missing still loads; calling them returns an error.
TEST_F(Cuda12, MissingFunctionsReturnError)
{
    for (const char* name :
         {"cudaGetDeviceProperties", "cudaLaunchCooperativeKernelMultiDevice",
          "cudaSignalExternalSemaphoresAsync_v2", "cudaSignalExternalSemaphoresAsync_v2_ptsz",
          "cudaStreamUpdateCaptureDependencies_v2", "cudaStreamUpdateCaptureDependencies_v2_ptsz",
          "cudaWaitExternalSemaphoresAsync_v2", "cudaWaitExternalSemaphoresAsync_v2_ptsz"})
        EXPECT_EQ(call(name), not_supported) << name;
}

TEST_F(Cuda12, Cuda13LibraryLacksItsNames)
{
    void* const other = dlopen(library_13, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(other, nullptr) << dlerror();
    for (const char* name :
         {"cudaGetDeviceProperties_v2", "cudaMemAdvise_v2", "cudaStreamGetCaptureInfo_v3",
          "cudaGraphGetEdges_v2", "cudaThreadExit"})
        EXPECT_EQ(dlsym(other, name), nullptr) << name;
    for (const char* name :
         {"cudaGetDeviceProperties", "cudaMemAdvise", "cudaStreamGetCaptureInfo",
          "cudaStreamGetCaptureInfo_ptsz", "cudaMemcpy_ptds", "cudaGraphGetEdges"})
        EXPECT_NE(dlsym(other, name), nullptr) << name;
}

} // namespace
