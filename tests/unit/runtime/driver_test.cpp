// The driver API, called by the names that programs and loaders look up in its library.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <elf.h>
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
    // If the caller passes a status pointer, the reason is stored there, as on an H100.
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
        dlclose(driver); // because the other version's library has the same name
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

// cuTensorMapEncodeTiled with a valid map of 16×16 words, except for what `change` changes.
TEST_F(Driver, EncodesTensorMaps)
{
    struct Arguments {
        int type = 2; // 32-bit words
        unsigned rank = 2;
        std::uintptr_t address = 0x700000000000;
        std::uint64_t sizes[5] = {16, 16, 1, 1, 1}, strides[4] = {64, 64, 64, 64};
        unsigned box[5] = {8, 4, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
        int interleave = 0, swizzle = 0, promotion = 0, fill = 0;
    };
    alignas(128) std::uint64_t map[16];
    const auto encode = [&](auto change) {
        Arguments is;
        change(is);
        return call("cuTensorMapEncodeTiled", &map[0], is.type, is.rank,
                    reinterpret_cast<void*>(is.address), &is.sizes[0], &is.strides[0], &is.box[0],
                    &is.steps[0], is.interleave, is.swizzle, is.promotion, is.fill);
    };
    constexpr int invalid_value = 1, not_supported = 801;
    EXPECT_EQ(encode([](Arguments&) {}), success);
    EXPECT_EQ(call("cuTensorMapReplaceAddress", &map[0], reinterpret_cast<void*>(0x700000000020)),
              success);
    EXPECT_EQ(call("cuTensorMapReplaceAddress", &map[0], reinterpret_cast<void*>(0x700000000021)),
              invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.rank = 6; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.rank = 0; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.type = 16; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.address += 8; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.strides[0] = 40; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.sizes[1] = 0; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.box[0] = 3; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.box[1] = 257; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.steps[1] = 9; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.fill = 1; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.swizzle = 7; }), invalid_value);
    EXPECT_EQ(encode([](Arguments& is) { is.interleave = 1; }), not_supported);
    map[0] = 0;
    EXPECT_EQ(call("cuTensorMapReplaceAddress", &map[0], reinterpret_cast<void*>(0x700000000020)),
              invalid_value);
}

template <class T>
void append(std::vector<unsigned char>& to, T value)
{
    const auto* const bytes = reinterpret_cast<const unsigned char*>(&value);
    to.insert(to.end(), bytes, bytes + sizeof value);
}

// A fat binary as nvcc --fatbin writes it, without the wrapper that programs contain.
TEST_F(Driver, LoadsFatBinaryFile)
{
    const std::size_t bytes = std::strlen(text) + 1;
    std::vector<unsigned char> image;
    append(image, std::uint32_t{0xba55ed50});
    append(image, std::uint16_t{1});
    append(image, std::uint16_t{16});
    append(image, std::uint64_t{64 + bytes});
    append(image, std::uint16_t{1}); // kind of entry: PTX text
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

// An ELF file of machine code with a section of this name and contents, as our compilers make it
// in a program that runs here.
std::vector<unsigned char> machine_code_with(const std::string& name, const std::string& contents)
{
    const std::string names = '\0' + name + '\0';
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = 3;
    header.e_shstrndx = 1;
    header.e_shoff = sizeof header + names.size() + contents.size();
    Elf64_Shdr none{}, named{}, section{};
    named.sh_type = section.sh_type = SHT_PROGBITS;
    named.sh_offset = sizeof header;
    named.sh_size = names.size();
    section.sh_name = 1;
    section.sh_offset = named.sh_offset + names.size();
    section.sh_size = contents.size();
    std::vector<unsigned char> code;
    append(code, header);
    code.insert(code.end(), names.begin(), names.end());
    code.insert(code.end(), contents.begin(), contents.end());
    for (const Elf64_Shdr& each : {none, named, section}) append(code, each);
    return code;
}

std::string linked(const std::string& ptx)
{
    return "lanescope linked PTX\n" + std::to_string(ptx.size()) + ' ' + ptx + "0 " + '\0';
}

TEST_F(Driver, LoadsPtxInMachineCode)
{
    const std::string more = ".version 7.0\n.target sm_75\n.address_size 64\n"
                             ".visible .entry more()\n{\n    ret;\n}\n";
    const auto code = machine_code_with(".lanescope.ptx", linked(text));
    ASSERT_EQ(load(code.data()), success);
    void* function = nullptr;
    EXPECT_EQ(call("cuModuleGetFunction", &function, module_, "nothing"), success);
    // Linking machine code concatenates sections of the same name.
    const auto both = machine_code_with(".lanescope.ptx", linked(text) + linked(more));
    ASSERT_EQ(load(both.data()), success);
    EXPECT_EQ(call("cuModuleGetFunction", &function, module_, "more"), success);
    EXPECT_EQ(load(machine_code_with(".text", linked(text)).data()), no_binary);
}

TEST_F(Driver, LinksPtxInMachineCode)
{
    void *link = nullptr, *image = nullptr;
    std::size_t bytes = 0;
    constexpr int cubin = 0, not_supported = 801;
    auto code = machine_code_with(".lanescope.ptx", linked(text));
    auto alone = machine_code_with(".text", "nothing");
    void* const none = nullptr;
    ASSERT_EQ(call("cuLinkCreate_v2", 0u, none, none, &link), success);
    EXPECT_EQ(call("cuLinkAddData_v2", link, cubin, static_cast<void*>(code.data()), code.size(),
                   "code", 0u, none, none),
              success);
    EXPECT_EQ(call("cuLinkAddData_v2", link, cubin, static_cast<void*>(alone.data()), alone.size(),
                   "alone", 0u, none, none),
              not_supported);
    ASSERT_EQ(call("cuLinkComplete", link, &image, &bytes), success);
    EXPECT_EQ(load(image), success);
    EXPECT_EQ(call("cuLinkDestroy", link), success);
}

TEST_F(Driver, LoadsPtxInMachineCodeOfFatBinary)
{
    const auto code = machine_code_with(".lanescope.ptx", linked(text));
    std::vector<unsigned char> image;
    append(image, std::uint32_t{0xba55ed50});
    append(image, std::uint16_t{1});
    append(image, std::uint16_t{16});
    append(image, std::uint64_t{64 + code.size()});
    append(image, std::uint16_t{2}); // kind of entry: machine code
    append(image, std::uint16_t{0x101});
    append(image, std::uint32_t{64});
    append(image, std::uint64_t{code.size()});
    image.resize(16 + 28, 0);
    append(image, std::uint32_t{90}); // architecture
    image.resize(16 + 64, 0);
    image.insert(image.end(), code.begin(), code.end());
    ASSERT_EQ(load(image.data()), success);
    void* function = nullptr;
    EXPECT_EQ(call("cuModuleGetFunction", &function, module_, "nothing"), success);
}

} // namespace
