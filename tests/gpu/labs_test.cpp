// Every variant of every lab on the GPU: correct against its reference at awkward sizes, and equal
// to the lockstep machine.
#include "compute/experiment/lab/lab.h"
#include "compute/simt/simt_device.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

constexpr int steps = 6;

struct Case {
    const labs::Lab* lab;
    const labs::Variant* variant;
    std::map<std::string, std::string> size;
};

std::vector<Case> all_cases()
{
    std::vector<Case> cases;
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants) {
            if (!variant.fault.empty() || !variant.runs_on(device::Engine::cuda)) continue;
            for (const auto& size : lab.test_sizes) cases.push_back({&lab, &variant, size});
        }
    return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& info)
{
    std::string name = info.param.lab->id + "_" + info.param.variant->id;
    for (const auto& [parameter, value] : info.param.size) name += "_" + parameter + "_" + value;
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

class LabOnGpu : public OnGpu, public testing::WithParamInterface<Case> {
protected:
    std::unique_ptr<labs::Experiment> started(device::Device& device,
                                              device::Allocator& memory) const
    {
        const Case& wanted = GetParam();
        labs::Values values(*wanted.lab);
        for (const auto& [parameter, value] : wanted.size) values.set(parameter, value);
        auto experiment =
            wanted.lab->start({device, memory, *wanted.lab, *wanted.variant, values, 1, {}});
        for (int i = 0; i < steps; ++i) experiment->step();
        return experiment;
    }
};

TEST_P(LabOnGpu, MatchesReference)
{
    device::PlainAllocator memory(*gpu);
    const labs::Check check = started(*gpu, memory)->check();
    EXPECT_EQ(check.correct, !GetParam().variant->wrong) << check.message;
    EXPECT_EQ(check.max_error <= check.tolerance, !GetParam().variant->wrong);
}

std::vector<std::byte> shown_bytes(device::Device& device, const labs::Picture& picture)
{
    const auto download = [&](const device::Buffer& buffer) {
        return device::download<std::byte>(device, buffer.address(), buffer.bytes());
    };
    struct Visitor {
        decltype(download)& bytes;
        device::Device& device;
        std::vector<std::byte> operator()(const labs::FieldPicture& p) const
        {
            return bytes(*p.values);
        }
        std::vector<std::byte> operator()(const labs::SurfacePicture& p) const
        {
            return bytes(*p.vertices);
        }
        std::vector<std::byte> operator()(const labs::BarsPicture& p) const
        {
            return bytes(*p.counts);
        }
        std::vector<std::byte> operator()(const labs::CurvePicture& p) const
        {
            return bytes(*p.vertices);
        }
        std::vector<std::byte> operator()(const labs::PointsPicture& p) const
        {
            return bytes(*p.vertices);
        }
        std::vector<std::byte> operator()(const labs::LabelsPicture& p) const
        {
            const auto numbers = std::as_bytes(std::span(*p.numbers));
            return {numbers.begin(), numbers.end()};
        }
        std::vector<std::byte> operator()(const labs::SlotsPicture& p) const
        {
            std::vector<std::int32_t> numbers;
            for (const auto& row : p.rows)
                for (const std::int32_t number : {row.capacity, row.taken, row.asked, row.fits})
                    numbers.push_back(number);
            const auto all = std::as_bytes(std::span(numbers));
            return {all.begin(), all.end()};
        }
        std::vector<std::byte> operator()(const labs::ScatterPicture& p) const
        {
            const auto dots = std::as_bytes(std::span(*p.dots));
            return {dots.begin(), dots.end()};
        }
        std::vector<std::byte> operator()(const labs::TilesPicture&) const { return {}; }
        std::vector<std::byte> operator()(const labs::TimelinePicture&) const { return {}; }
        std::vector<std::byte> operator()(const labs::ImagePicture& p) const
        {
            const device::Image& image = *p.image;
            std::vector<std::byte> texels(static_cast<std::size_t>(image.width()) *
                                          std::max(image.height(), 1) *
                                          device::bytes_per_pixel(image.format()));
            device.download(texels, image);
            return texels;
        }
    };
    return std::visit(Visitor{download, device}, picture);
}

// PTX defines neither the bits of approximate instructions and texture filtering nor the assignment
// of blocks to multiprocessors.
bool bits_are_defined(std::string_view ptx)
{
    return ptx.find(".approx") == ptx.npos && ptx.find("tex.") == ptx.npos &&
           ptx.find("%smid") == ptx.npos;
}

TEST_P(LabOnGpu, PictureMatchesLockstepMachine)
{
    if (!GetParam().variant->varies.empty()) GTEST_SKIP() << GetParam().variant->varies;
    if (!bits_are_defined(GetParam().lab->ptx(*GetParam().variant)))
        GTEST_SKIP() << "the kernel uses instructions whose bits PTX leaves open";
    const auto simt = simt::make_device();
    device::PlainAllocator gpu_memory(*gpu);
    device::PlainAllocator simt_memory(*simt);
    const auto on_gpu = started(*gpu, gpu_memory);
    const auto on_simt = started(*simt, simt_memory);
    const std::string& view = GetParam().lab->views.front();
    EXPECT_EQ(shown_bytes(*gpu, on_gpu->picture(view)), shown_bytes(*simt, on_simt->picture(view)));
}

INSTANTIATE_TEST_SUITE_P(Every, LabOnGpu, testing::ValuesIn(all_cases()), case_name);

TEST(Registry, HasLabs)
{
    EXPECT_FALSE(labs::all().empty());
}

} // namespace
} // namespace lanescope::gpu_tests
