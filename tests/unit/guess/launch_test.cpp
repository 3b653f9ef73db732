// A captured launch as a lab: every step starts from the captured memory at new addresses, and its
// result is drawn at its size. Records that must be refused are covered too.
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>

#include "assets/assets.h"
#include "compute/experiment/guess/launch.h"
#include "compute/experiment/lab/lab.h"
#include "compute/experiment/record/read.h"
#include "compute/simt/simt_device.h"

namespace lanescope::labs {
namespace {

using nlohmann::json;

constexpr std::uint64_t somewhere = 0x700000100100;

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values)
{
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<std::byte> argument(T value)
{
    return bytes_of(std::vector<T>{value});
}

// A folder with the files that a program writes for a captured launch.
class Kept {
public:
    Kept()
    {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "kept-launch-XXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~Kept() { std::filesystem::remove_all(path_); }
    void write(const std::string& name, std::string_view bytes) const
    {
        std::ofstream(path_ / name, std::ios::binary) << bytes;
    }
    template <class T>
    void write(const std::string& name, const std::vector<T>& values) const
    {
        write(name, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
    }
    std::filesystem::path path() const { return path_; }

private:
    std::filesystem::path path_;
};

std::string_view text(const std::string& file)
{
    return assets::find("tests/unit/guess/" + file).value();
}

// Runs this many steps of the lab and returns the contents of one of its buffers.
template <class T>
std::vector<T> after_steps(const Lab& lab, int steps, const std::string& buffer, std::size_t count)
{
    const auto device = simt::make_device();
    device::PlainAllocator shown(*device);
    const auto experiment = lab.start({.device = *device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = lab.variants.front(),
                                       .values = Values(lab),
                                       .image = {}});
    for (int i = 0; i < steps; ++i) experiment->step();
    return device::download<T>(*device, experiment->buffer(buffer)->address(), count);
}

TEST(CapturedLaunch, EveryStepStartsFromCapturedMemory)
{
    const std::vector<float> x{1, 2, 3, 4, 5}, y{10, 20, 30, 40, 50};
    Kept kept;
    kept.write("saxpy.cu", text("tutorials/saxpy.cu"));
    kept.write("saxpy.ptx", text("tutorials/saxpy.ptx"));
    kept.write("memory_0.bin", x);
    kept.write("memory_1.bin", y);
    KeptLaunch launch{.symbol = "_Z5saxpyifPfS_",
                      .index = 7,
                      .program = "mine.cu",
                      .grid = {1, 1, 1},
                      .block = {32, 1, 1}};
    launch.arguments = {argument(5), argument(0.5F), argument(somewhere),
                        argument(somewhere + 256)};
    launch.memory = {{somewhere, 20, "memory_0.bin", false},
                     {somewhere + 256, 20, "memory_1.bin", true}};
    const std::string record = record_of_launch(text("tutorials/saxpy.cu"),
                                                text("tutorials/saxpy.ptx"), "saxpy.cu", launch);
    kept.write("lab.json", record);
    const Lab& lab = find(kept.path().string());
    EXPECT_EQ(lab.title, "Saxpy, launch 7");
    EXPECT_EQ(lab.views, std::vector<std::string>{"curve"});
    const std::vector<float> wanted{10.5F, 21, 31.5F, 42, 52.5F};
    EXPECT_EQ(after_steps<float>(lab, 1, "y", 5), wanted);
    EXPECT_EQ(after_steps<float>(lab, 3, "y", 5), wanted) << "a step went on from the one before";
    EXPECT_EQ(after_steps<float>(lab, 3, "x", 5), x);
}

TEST(CapturedLaunch, TwoDimensionalArraysAreFields)
{
    KeptLaunch launch{.symbol = "_Z10gameOfLifePKiPiii",
                      .program = "life.cu",
                      .grid = {3, 2, 1},
                      .block = {16, 16, 1}};
    const json uses = json::parse(
        record_of_launch(text("tutorials/life.cu"), text("tutorials/life.ptx"), "life.cu", [&] {
            launch.arguments = {argument(somewhere), argument(somewhere + 8192), argument(40),
                                argument(30)};
            launch.memory = {{somewhere, 4800, "memory_0.bin", false},
                             {somewhere + 8192, 4800, "", true}};
            return launch;
        }()));
    EXPECT_EQ(uses["buffers"]["current"]["extent"], json({40, 30}));
    EXPECT_EQ(uses["buffers"]["current"]["fill"], json({{"file", "memory_0.bin"}}));
    EXPECT_FALSE(uses["buffers"]["next"].contains("fill")) << "nobody had stored anything there";
    EXPECT_EQ(uses["result"], "next");
    EXPECT_EQ(uses["views"][0]["field"], "next");
    EXPECT_EQ(uses["variants"][0]["grid"], json({3, 2, 1}));
}

// Buffers have the size of the captured allocation, not a guessed one.
TEST(CapturedLaunch, AllocationGivesSize)
{
    KeptLaunch launch{
        .symbol = "_Z5saxpyifPfS_", .program = "mine.cu", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    launch.arguments = {argument(5), argument(0.5F), argument(somewhere + 8), argument(somewhere)};
    launch.memory = {{somewhere, 4096, "memory_0.bin", true}};
    const json uses = json::parse(record_of_launch(
        text("tutorials/saxpy.cu"), text("tutorials/saxpy.ptx"), "saxpy.cu", launch));
    EXPECT_EQ(uses["buffers"]["x"]["extent"], json({1024}));
    EXPECT_EQ(uses["variants"][0]["arguments"],
              json::parse(R"([{"i32": "5"}, {"f32": "0.5"}, {"buffer": "x", "offset": 2}, "x"])"));
}

// Without the source, parameters are named by their index, and accesses determine their types.
TEST(CapturedLaunch, NeedsNoSource)
{
    KeptLaunch launch{
        .symbol = "_Z5saxpyifPfS_", .program = "mine", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    launch.arguments = {argument(5), argument(0.5F), argument(somewhere),
                        argument(somewhere + 256)};
    launch.memory = {{somewhere, 20, "memory_0.bin", false},
                     {somewhere + 256, 20, "memory_1.bin", true}};
    const json uses =
        json::parse(record_of_launch("", text("tutorials/saxpy.ptx"), "mine.ptx", launch));
    EXPECT_EQ(uses["result"], "argument_3");
    EXPECT_EQ(uses["buffers"]["argument_2"]["type"], "f32");
    EXPECT_THROW(record_of_launch("", text("tutorials/saxpy.ptx"), "mine.ptx",
                                  KeptLaunch{.symbol = "_Z4nonev"}),
                 Error);
}

// A linked list in device memory: the pointers in it are relocated to the nodes' new addresses.
TEST(CapturedLaunch, RelocatesPointersInMemory)
{
    struct Node {
        std::uint64_t next;
        std::int64_t value;
    };
    const std::vector<Node> first{{somewhere + 512, 3}}, second{{0, 4}};
    Kept kept;
    kept.write("list.cu", text("kernels/list.cu"));
    kept.write("list.ptx", text("kernels/list.ptx"));
    kept.write("memory_0.bin", first);
    kept.write("memory_1.bin", second);
    KeptLaunch launch{.symbol = "_Z8sum_list4ListPx",
                      .program = "list.cu",
                      .grid = {1, 1, 1},
                      .block = {1, 1, 1}};
    launch.arguments = {bytes_of(std::vector<std::uint64_t>{somewhere, 100}),
                        argument(somewhere + 1024)};
    launch.memory = {{somewhere, 16, "memory_0.bin", false},
                     {somewhere + 512, 16, "memory_1.bin", false},
                     {somewhere + 1024, 8, "", true}};
    kept.write("lab.json", record_of_launch(text("kernels/list.cu"), text("kernels/list.ptx"),
                                            "list.cu", launch));
    EXPECT_EQ(after_steps<std::int64_t>(find(kept.path().string()), 2, "sum", 1),
              std::vector<std::int64_t>{107});
}

// Mistakes that are likely when a record is edited by hand.
TEST(CapturedLaunch, MalformedRecordsAreRefusedWithMessage)
{
    const std::string record = record_of_launch(
        text("tutorials/saxpy.cu"), text("tutorials/saxpy.ptx"), "saxpy.cu",
        {.symbol = "_Z5saxpyifPfS_",
         .grid = {1, 1, 1},
         .block = {32, 1, 1},
         .arguments = {argument(5), argument(0.5F), argument(somewhere), argument(somewhere)},
         .memory = {{somewhere, 20, "memory_0.bin", true}}});
    const auto refused = [&](const char* pointer, const json& value) -> std::string {
        json changed = json::parse(record);
        changed[json::json_pointer(pointer)] = value;
        try {
            read_record(changed.dump(), "lab.json", "lab");
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_THAT(refused("/buffers/x/address", "here"), testing::HasSubstr("is not an address"));
    EXPECT_THAT(refused("/buffers/x/address", "0x"), testing::HasSubstr("is not an address"));
    EXPECT_THAT(refused("/variants/0/arguments/0", {{"bytes", "0g"}}),
                testing::HasSubstr("is not a list of bytes"));
    EXPECT_THAT(refused("/variants/0/arguments/0", {{"bytes", "012"}}),
                testing::HasSubstr("is not a list of bytes"));
    EXPECT_EQ(refused("/variants/0/arguments/0", {{"bytes", "05000000"}}), "accepted");
}

} // namespace
} // namespace lanescope::labs
