// The fast checks predict how a kernel uses its buffers, recognise rounds between barriers that
// repeat, and skip the checks that this makes unnecessary. Random kernels, correct ones and ones
// with a mistake just past what is skipped, must give the same results, counts and faults as under
// the precise checks alone.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "compute/simt/simt_device.h"
#include "tests/random_kernels/program.h"
#include "tests/unit/launches/drawn_text.h"

namespace lanescope::simt {
namespace {

using random_kernels::RandomKernel;

// Everything that a launch leaves behind.
struct Left {
    std::vector<std::vector<std::byte>> buffers;
    trace::Trace trace;
    bool threw = false;
};

// Launches it several times on one device: later launches profit from earlier ones.
constexpr int launches = 3;

struct Mode {
    bool precise = false;
    int threads = 1;
    NativeCode native = NativeCode::always;
};

std::vector<Left> launch(const RandomKernel& kernel, const std::vector<std::size_t>& unset,
                         const Mode& mode)
{
    Options options;
    options.checks = Checks::all();
    options.survives_doubtful_results = true;
    options.precise_checks = mode.precise;
    options.threads = mode.threads;
    options.native = mode.native;
    const auto device = make_device(options);
    const auto module = device->load(kernel.ptx);
    std::vector<Left> all;
    for (int i = 0; i < launches; ++i) {
        std::vector<std::unique_ptr<device::Buffer>> buffers;
        device::Launch launch;
        Left& left = all.emplace_back();
        launch.grid = kernel.grid;
        launch.block = kernel.block;
        launch.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
        launch.trace = &left.trace;
        for (std::size_t k = 0; k < kernel.buffers.size(); ++k) {
            const std::vector<std::byte>& bytes = kernel.buffers[k];
            buffers.push_back(device->allocate(bytes.size()));
            // The rest stays uninitialised.
            const std::size_t set = k < unset.size() ? bytes.size() - unset[k] : bytes.size();
            device->upload(buffers.back()->address(), std::span(bytes).first(set));
            launch.arguments.emplace_back(buffers.back()->address());
        }
        for (const std::uint32_t scalar : kernel.scalars) launch.arguments.emplace_back(scalar);
        try {
            device->launch(module->kernel(kernel.kernel), launch);
        } catch (const device::KernelFault&) {
            left.threw = true;
        }
        for (const auto& buffer : buffers) {
            left.buffers.emplace_back(buffer->bytes());
            device->download(left.buffers.back(), buffer->address());
        }
    }
    return all;
}

// Returns an empty string if both modes agree. A fault stops the fast checks' launch elsewhere, so
// its memory and counts are those of the precise checks, which run it again.
std::string difference(const RandomKernel& kernel, const std::vector<std::size_t>& unset,
                       const Mode& mode, std::size_t* faults = nullptr)
{
    const std::vector<Left> fast = launch(kernel, unset, mode);
    const std::vector<Left> precise =
        launch(kernel, unset, {.precise = true, .threads = 1, .native = NativeCode::never});
    for (std::size_t i = 0; i < fast.size(); ++i) {
        const auto say = [&](const std::string& what) {
            return what.empty() ? what : fmt::format("launch {}: {}", i, what);
        };
        if (fast[i].threw != precise[i].threw)
            return say(fast[i].threw ? "only the fast checks throw" : "only the precise checks do");
        if (faults != nullptr) *faults += fast[i].trace.faults.size();
        bool same_lanes = false;
        for (const std::string& text :
             {random_kernels::difference(fast[i].trace.faults, precise[i].trace.faults),
              random_kernels::difference(fast[i].buffers, precise[i].buffers),
              random_kernels::difference(fast[i].trace, precise[i].trace, same_lanes)})
            if (!text.empty()) return say(text);
    }
    return {};
}

// A kernel of a few statements on three buffers, `in`, `out` and `both`, of `elements` elements.
class Drawing {
public:
    explicit Drawing(std::uint64_t seed) : random_(seed) {}

    RandomKernel kernel(bool mistaken)
    {
        static constexpr std::array<Dim3, 6> blocks{
            {{32, 1, 1}, {64, 1, 1}, {16, 4, 1}, {8, 8, 1}, {33, 1, 1}, {256, 1, 1}}};
        RandomKernel drawn;
        drawn.kernel = "drawn";
        drawn.block = blocks[below(random_, blocks.size())];
        drawn.grid = {1 + static_cast<std::uint32_t>(below(random_, 6)), 1, 1};
        threads_ = drawn.grid.count() * drawn.block.count();
        width_ = std::size_t{4} << below(random_, 3);
        const bool guarded = below(random_, 2) == 0;
        const std::size_t spare = guarded ? below(random_, 9) : 0;
        elements_ = threads_ - std::min(spare, threads_ - 1);
        const std::size_t statements = 1 + below(random_, 4);
        const std::size_t wrong = mistaken ? below(random_, statements) : statements;
        std::string body;
        for (std::size_t i = 0; i < statements; ++i) body += statement(i == wrong);
        if (below(random_, 3) == 0)
            body = "    mov.u32 %turn, 0;\nagain:\n" + body +
                   "    add.u32 %turn, %turn, 1;\n    setp.lt.u32 %more, %turn, 2;\n"
                   "    @%more bra again;\n";
        drawn.ptx = fmt::format(
            R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry drawn(.param .u64 in, .param .u64 out, .param .u64 both, .param .u32 n)
{{
    .reg .pred %more, %past;
    .reg .u32 %i, %j, %n, %turn, %x, %y, %block, %size, %row;
    .reg .b32 %v<4>;
    .reg .b64 %in, %out, %both, %at;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    ld.param.u64 %both, [both];
    ld.param.u32 %n, [n];
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    mov.u32 %row, %ntid.x;
    mov.u32 %block, %ctaid.x;
    mad.lo.u32 %x, %y, %row, %x;
    mul.lo.u32 %size, {}, %block;
    add.u32 %i, %size, %x;
    mov.u32 %v0, %i;
    mov.u32 %v1, %x;
    mov.u32 %v2, 7;
    mov.u32 %v3, %y;
{}{}end:
    ret;
}}
)",
            drawn.block.count(),
            guarded ? "    setp.ge.u32 %past, %i, %n;\n    @%past bra end;\n" : "", body);
        for (int i = 0; i < 3; ++i) {
            std::vector<std::byte>& bytes = drawn.buffers.emplace_back(elements_ * width_);
            for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_() & 0xff);
        }
        drawn.scalars = {static_cast<std::uint32_t>(elements_)};
        return drawn;
    }

    // Bytes at the end of each buffer that stay uninitialised.
    std::vector<std::size_t> unset(bool mistaken)
    {
        std::vector<std::size_t> bytes{0, elements_ * width_, 0};
        if (mistaken && below(random_, 4) == 0) bytes[2 * below(random_, 2)] = width_;
        return bytes;
    }

private:
    // Sets %j to an index that differs from thread to thread, or to a mistaken one.
    std::string index(bool wrong)
    {
        if (!wrong) return "    mov.u32 %j, %i;\n";
        switch (below(random_, 6)) {
        case 0: return "    add.u32 %j, %i, 1;\n    min.u32 %j, %j, " + last() + ";\n";
        case 1: return "    add.u32 %j, %i, 1;\n";
        case 2: return "    shr.u32 %j, %i, 1;\n";
        case 3: return "    mov.u32 %j, %x;\n";
        case 4: return "    sub.u32 %j, " + last() + ", %i;\n";
        default:
            return fmt::format("    setp.eq.u32 %more, %i, {};\n    selp.u32 %j, 0, %i, %more;\n",
                               below(random_, threads_));
        }
    }
    std::string last() const { return std::to_string(elements_ - 1); }
    std::string values() const
    {
        return width_ == 4 ? "%v0" : width_ == 8 ? "{%v0, %v1}" : "{%v0, %v1, %v2, %v3}";
    }
    std::string access(const char* operation, const char* buffer, bool loads) const
    {
        const std::string what = fmt::format("{}.global{}.u32", operation,
                                             width_ == 4   ? ""
                                             : width_ == 8 ? ".v2"
                                                           : ".v4");
        const std::string address = fmt::format(
            "    mul.wide.u32 %at, %j, {};\n    add.u64 %at, %{}, %at;\n", width_, buffer);
        return address + (loads ? fmt::format("    {} {}, [%at];\n", what, values())
                                : fmt::format("    {} [%at], {};\n", what, values()));
    }
    std::string statement(bool wrong)
    {
        const char* const change = "    add.u32 %v0, %v0, 3;\n";
        switch (below(random_, wrong ? 6 : 4)) {
        case 0: // any thread may read any element
            return index(wrong || below(random_, 2) == 0 ? false : true) +
                   access("ld", "in", true) + change;
        case 1: return index(wrong) + access("st", "out", false);
        case 2:
            return index(wrong) + access("ld", "both", true) + change + access("st", "both", false);
        case 3: return index(wrong) + access("ld", "both", true) + change;
        case 4: return index(false) + access("st", "in", false);
        default: return index(true) + access("ld", "out", true) + change;
        }
    }

    Random random_;
    std::size_t threads_ = 0, elements_ = 0, width_ = 4;
};

// A kernel whose blocks exchange values through shared memory in a loop, so that the rounds between
// its barriers repeat. In one turn of one block, one statement differs: harmlessly, or by a
// mistake.
class RoundDrawing {
public:
    explicit RoundDrawing(std::uint64_t seed) : random_(seed) {}

    RandomKernel kernel(bool mistaken)
    {
        static constexpr std::array<Dim3, 6> blocks{
            {{8, 4, 1}, {64, 1, 1}, {16, 4, 1}, {8, 12, 1}, {34, 1, 1}, {256, 1, 1}}};
        mistaken_ = mistaken;
        RandomKernel drawn;
        drawn.kernel = "drawn";
        drawn.block = blocks[below(random_, blocks.size())];
        drawn.grid = {1 + static_cast<std::uint32_t>(below(random_, 4)), 1, 1};
        threads_ = static_cast<std::uint32_t>(drawn.block.count());
        odd_turn_ = below(random_, turns);
        odd_block_ = below(random_, drawn.grid.x);
        last_block_ = drawn.grid.x - 1;
        const std::size_t statements = 1 + below(random_, 3);
        const std::size_t odd = below(random_, statements);
        std::string body;
        for (std::size_t i = 0; i < statements; ++i) body += statement(i == odd);
        drawn.ptx = fmt::format(
            R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry drawn(.param .u64 in, .param .u64 out)
{{
    .reg .pred %more, %odd, %even, %skip;
    .reg .u32 %t, %j, %k, %turn, %x, %y, %block, %row, %tile, %v<4>;
    .reg .b64 %in, %out, %at;
    .shared .align 16 .b8 tile[{}];
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    mov.u32 %x, %tid.x;
    mov.u32 %y, %tid.y;
    mov.u32 %row, %ntid.x;
    mad.lo.u32 %t, %y, %row, %x;
    mov.u32 %block, %ctaid.x;
    mad.lo.u32 %k, %block, {}, %t;
    mul.wide.u32 %at, %k, 4;
    add.u64 %in, %in, %at;
    add.u64 %out, %out, %at;
    ld.global.u32 %v0, [%in];
    mov.u32 %tile, tile;
    shl.b32 %j, %t, 2;
    add.u32 %j, %tile, %j;
    st.shared.u32 [%j], %v0;
    st.shared.u32 [%j + {}], %t;
    setp.eq.u32 %skip, %block, {};
    setp.eq.and.u32 %skip, %t, {}, %skip;
    @!%skip st.shared.u32 [%j + {}], %v0;
    bar.sync 0;
    mov.u32 %turn, 0;
again:
    setp.eq.u32 %odd, %turn, {};
    setp.eq.and.u32 %odd, %block, {}, %odd;
    not.pred %even, %odd;
{}    add.u32 %turn, %turn, 1;
    setp.lt.u32 %more, %turn, {};
    @%more bra again;
    st.global.u32 [%out], %v0;
    ret;
}}
)",
            16 * threads_, threads_, 4 * threads_,
            skips_store_ ? below(random_, drawn.grid.x) : drawn.grid.x, below(random_, threads_),
            8 * threads_, odd_turn_, odd_block_, body, turns);
        const std::size_t bytes = 4 * std::size_t{threads_} * drawn.grid.x;
        for (int i = 0; i < 2; ++i)
            for (std::byte& byte : drawn.buffers.emplace_back(bytes))
                byte = static_cast<std::byte>(random_() & 0xff);
        return drawn;
    }

private:
    static constexpr std::size_t turns = 6;

    // Sets %j to the address of an element that differs from thread to thread, or, at `mistaken`
    // ones, is shared by some.
    std::string index(bool wrong)
    {
        const auto set = [&](std::size_t kind, const char* to) {
            switch (kind) {
            case 0: return fmt::format("    mov.u32 {}, %t;\n", to);
            case 1: return fmt::format("    sub.u32 {}, {}, %t;\n", to, threads_ - 1);
            case 2: return fmt::format("    xor.b32 {}, %t, 1;\n", to);
            case 3:
                return fmt::format("    add.u32 {0}, %t, %turn;\n    rem.u32 {0}, {0}, {1};\n", to,
                                   threads_);
            default: return fmt::format("    shr.u32 {}, %t, 1;\n", to);
            }
        };
        std::string text = set(below(random_, 4), "%j");
        if (wrong)
            text +=
                set(mistaken_ ? 4 : below(random_, 4), "%k") + "    selp.u32 %j, %k, %j, %odd;\n";
        return text + "    shl.b32 %j, %j, 2;\n    add.u32 %j, %tile, %j;\n";
    }
    // At `odd`, a barrier that is left out.
    std::string barrier(const char* which, bool odd) const
    {
        return fmt::format("    {}{};\n", odd && mistaken_ ? "@%even " : "", which);
    }
    std::string statement(bool odd)
    {
        const char* const add = "    add.u32 %v0, %v0, %v1;\n";
        const std::string load = "    ld.shared.u32 %v1, [%j];\n" + std::string(add);
        const std::string own = "    shl.b32 %j, %t, 2;\n    add.u32 %j, %tile, %j;\n";
        switch (below(random_, 10)) {
        case 0: // through a permutation
            return index(odd) + "    st.shared.u32 [%j], %v0;\n" + barrier("bar.sync 0", false) +
                   index(false) + load + barrier("bar.sync 0", false);
        case 1:
            return index(false) + "    st.shared.u32 [%j], %v0;\n" + barrier("bar.sync 0", odd) +
                   index(false) + load + barrier("bar.sync 0", false);
        case 2: // within a warp
            return own + "    st.shared.u32 [%j], %v0;\n" +
                   barrier("bar.warp.sync 0xffffffff", odd) +
                   "    xor.b32 %j, %t, 1;\n    shl.b32 %j, %j, 2;\n    add.u32 %j, %tile, %j;\n" +
                   load + barrier("bar.sync 0", false);
        case 3: // atomically
            return "    shr.u32 %j, %t, 2;\n    shl.b32 %j, %j, 2;\n    add.u32 %j, %tile, %j;\n"
                   "    red.shared.add.u32 [%j], %t;\n" +
                   barrier("bar.sync 0", odd) + load + barrier("bar.sync 0", false);
        case 4: // loads of a batch
            return index(false) +
                   fmt::format("    ld.shared.u32 %v1, [%j];\n"
                               "    ld.shared.u32 %v2, [%j + {}];\n"
                               "    add.u32 %v1, %v1, %v2;\n",
                               4 * threads_) +
                   add + barrier("bar.sync 0", false);
        case 5: // a part that a block may have left uninitialised
            skips_store_ = skips_store_ || (odd && mistaken_);
            return own + fmt::format("    ld.shared.u32 %v1, [%j + {}];\n", 8 * threads_) + add;
        case 6: // each thread its own element, without a barrier
            return own + "    st.shared.u32 [%j], %v0;\n" +
                   (odd && mistaken_ ? fmt::format("    xor.b32 %k, %turn, {};\n"
                                                   "    min.u32 %k, %k, 1;\n"
                                                   "    xor.b32 %v2, %block, {};\n"
                                                   "    min.u32 %v2, %v2, 1;\n"
                                                   "    max.u32 %k, %k, %v2;\n"
                                                   "    sub.u32 %k, 1, %k;\n"
                                                   "    shl.b32 %k, %k, 5;\n"
                                                   "    add.u32 %j, %j, %k;\n",
                                                   odd_turn_, odd_block_)
                                     : "") +
                   load + barrier("bar.sync 0", false);
        case 7: // a part that is initialised here; a mistaken round ends before that
            if (odd && mistaken_) {
                odd_turn_ = 0;
                odd_block_ = last_block_;
            }
            return own + "    st.shared.u32 [%j], %v0;\n" +
                   fmt::format("    {}st.shared.u32 [%j + {}], %v0;\n",
                               odd && mistaken_ ? "@%even " : "", 12 * threads_) +
                   barrier("bar.sync 0", false) +
                   fmt::format("    ld.shared.u32 %v1, [%j + {}];\n", 12 * threads_) + add +
                   barrier("bar.sync 0", false);
        case 8: // lanes that store to one element, mostly the same value
            if (threads_ == warp_lanes)
                return std::string("    mov.u32 %v1, 7;\n") +
                       (odd && mistaken_ ? "    selp.u32 %v1, %t, %v1, %odd;\n" : "") +
                       "    shl.b32 %j, %x, 2;\n    add.u32 %j, %tile, %j;\n"
                       "    st.shared.u32 [%j], %v1;\n" +
                       barrier("bar.sync 0", false);
            [[fallthrough]];
        default: // some threads
            return index(false) +
                   fmt::format("    setp.lt.u32 %more, %t, {};\n", 1 + below(random_, threads_)) +
                   "    @%more ld.shared.u32 %v1, [%j];\n    @%more add.u32 %v0, %v0, %v1;\n" +
                   barrier("bar.sync 0", false) + index(odd) + "    st.shared.u32 [%j], %v0;\n" +
                   barrier("bar.sync 0", false);
        }
    }

    Random random_;
    std::uint32_t threads_ = 0;
    bool mistaken_ = false;
    std::size_t odd_turn_ = 0, odd_block_ = 0, last_block_ = 0;
    bool skips_store_ = false;
};

TEST(FastChecks, AgreeWithThePreciseChecks)
{
    std::size_t faults = 0, clean = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE(seed);
        const bool mistaken = seed % 2 == 0;
        Drawing drawing(seed);
        const RandomKernel kernel = drawing.kernel(mistaken);
        const std::vector<std::size_t> unset = drawing.unset(mistaken);
        const Mode mode{.threads = seed % 3 == 0 ? 2 : 1,
                        .native = seed % 5 == 0 ? NativeCode::sometimes : NativeCode::always};
        std::size_t found = 0;
        EXPECT_EQ(difference(kernel, unset, mode, &found), "") << kernel.ptx;
        (found == 0 ? clean : faults) += 1;
    }
    EXPECT_GT(clean, 100U);
    EXPECT_GT(faults, 80U);
}

TEST(FastChecks, AgreeOnRoundsThatRepeat)
{
    std::size_t faults = 0, clean = 0;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        SCOPED_TRACE(seed);
        const bool mistaken = seed % 2 == 0;
        const RandomKernel kernel = RoundDrawing(seed).kernel(mistaken);
        const Mode mode{.threads = seed % 7 == 0 ? 2 : 1,
                        .native = seed % 5 == 0   ? NativeCode::sometimes
                                  : seed % 5 == 1 ? NativeCode::never
                                                  : NativeCode::always};
        std::size_t found = 0;
        EXPECT_EQ(difference(kernel, {}, mode, &found), "") << kernel.ptx;
        if (!mistaken) {
            EXPECT_EQ(found, 0U) << kernel.ptx;
        }
        (found == 0 ? clean : faults) += 1;
    }
    EXPECT_GT(clean, 300U);
    EXPECT_GT(faults, 150U);
}

TEST(FastChecks, AgreeOnRandomKernels)
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        const RandomKernel kernel =
            random_kernels::kernel_of(random_kernels::draw(seed, random_kernels::mixed_size(seed)));
        EXPECT_EQ(difference(kernel, {}, {.threads = 2}), "");
        EXPECT_EQ(difference(random_kernels::damaged(kernel), {}, {.threads = 1}), "");
    }
}

} // namespace
} // namespace lanescope::simt
