// The driver API, called by the names that programs and loaders look up.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace {

constexpr int success = 0, invalid_image = 200, no_binary = 209, invalid_ptx = 218, not_found = 500;

std::string library_of(int version)
{
    return LANESCOPE_BINARY_DIR "/runtime/libcudart.so." + std::to_string(version);
}

class Driver : public testing::Test {
protected:
    void SetUp() override
    {
        if (!std::filesystem::exists(library_of(13)))
            GTEST_SKIP() << "There is no " << library_of(13)
                         << ": it is not built under a sanitizer.";
        library_ = dlopen(library_of(13).c_str(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library_, nullptr) << dlerror();
        void* context = nullptr;
        ASSERT_EQ(call("cuInit", 0u), success);
        ASSERT_EQ(call("cuDevicePrimaryCtxRetain", &context, 0), success);
        ASSERT_EQ(call("cuCtxSetCurrent", context), success);
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

    int load(const void* image)
    {
        module_ = nullptr;
        return call("cuModuleLoadData", &module_, image);
    }

    void* library_ = nullptr;
    void* module_ = nullptr;
};

constexpr const char* text = ".version 7.0\n.target sm_75\n.address_size 64\n"
                             ".visible .entry nothing()\n{\n    ret;\n}\n";

TEST_F(Driver, FindsEveryFunctionByName)
{
    const char* const functions[] = {
#define ENTRY(name, function, version) #function,
#include "compute/runtime/driver/entry_points.def"
#undef ENTRY
    };
    EXPECT_GT(std::size(functions), 500u);
    for (const int version : {12, 13}) {
        void* const library = dlopen(library_of(version).c_str(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(library, nullptr) << dlerror();
        for (const char* function : functions)
            EXPECT_NE(dlsym(library, function), nullptr) << function << " of CUDA " << version;
    }
}

TEST_F(Driver, ReturnsNewestFunctionOfVersion)
{
    void *old = nullptr, *newer = nullptr;
    int status = -1;
    ASSERT_EQ(call("cuGetProcAddress_v2", "cuCtxCreate", &old, 11000, std::uint64_t{0}, &status),
              success);
    ASSERT_EQ(call("cuGetProcAddress_v2", "cuCtxCreate", &newer, 13000, std::uint64_t{0}, &status),
              success);
    EXPECT_EQ(old, dlsym(library_, "cuCtxCreate_v2"));
    EXPECT_EQ(newer, dlsym(library_, "cuCtxCreate_v4"));
    EXPECT_EQ(
        call("cuGetProcAddress_v2", "cuMemcpyHtoDAsync", &newer, 13000, std::uint64_t{2}, &status),
        success);
    EXPECT_EQ(newer, dlsym(library_, "cuMemcpyHtoDAsync_v2_ptsz"));
    // A caller that passes a status pointer gets the reason there, as on an H100.
    EXPECT_EQ(call("cuGetProcAddress_v2", "cuNothing", &newer, 13000, std::uint64_t{0}, &status),
              success);
    EXPECT_EQ(status, 1); // CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND
    EXPECT_EQ(newer, nullptr);
    EXPECT_EQ(call("cuGetProcAddress", "cuNothing", &newer, 13000, std::uint64_t{0}), not_found);
}

TEST_F(Driver, LibraryNameResolvesToRuntime)
{
    for (const int version : {12, 13}) {
        void* const runtime = dlopen(library_of(version).c_str(), RTLD_NOW | RTLD_LOCAL);
        const std::string path =
            LANESCOPE_BINARY_DIR "/runtime/driver_" + std::to_string(version) + "/libcuda.so.1";
        void* const driver = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        ASSERT_NE(driver, nullptr) << dlerror();
        EXPECT_EQ(dlsym(driver, "cuInit"), dlsym(runtime, "cuInit"));
        dlclose(driver); // the other version has a library of the same name
    }
}

TEST_F(Driver, LoadsEveryFormOfDeviceCode)
{
    EXPECT_EQ(load(text), success);
    EXPECT_EQ(load(""), invalid_image);
    EXPECT_EQ(load("x"), invalid_image);
    EXPECT_EQ(load(".version 7.0\n.target sm_120\n"), invalid_ptx);
    EXPECT_EQ(load(".version 7.0\n.target sm_75\n.nonsense\n"), invalid_ptx);
    std::vector<unsigned char> machine_code(64, 0);
    std::memcpy(machine_code.data(), "\177ELF", 4);
    EXPECT_EQ(load(machine_code.data()), no_binary);
}

template <class T>
void append(std::vector<unsigned char>& to, T value)
{
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&value);
    to.insert(to.end(), bytes, bytes + sizeof value);
}

// Format of nvcc --fatbin: without a wrapper.
TEST_F(Driver, LoadsFatBinaryFile)
{
    const std::size_t bytes = std::strlen(text) + 1;
    std::vector<unsigned char> image;
    append(image, std::uint32_t{0xba55ed50});
    append(image, std::uint16_t{1});
    append(image, std::uint16_t{16});
    append(image, std::uint64_t{64 + bytes});
    append(image, std::uint16_t{1}); // text
    append(image, std::uint16_t{0x101});
    append(image, std::uint32_t{64});
    append(image, std::uint64_t{bytes});
    image.resize(16 + 64, 0);
    image.insert(image.end(), text, text + bytes);
    ASSERT_EQ(load(image.data()), success);
    void* function = nullptr;
    EXPECT_EQ(call("cuModuleGetFunction", &function, module_, "nothing"), success);
    EXPECT_EQ(call("cuModuleGetFunction", &function, module_, "other"), not_found);
}

} // namespace
