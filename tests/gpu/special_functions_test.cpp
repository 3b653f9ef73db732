// Approximate instructions compared with the GPU for every input: f32 for all 2^32, division for
// all divisors, 16-bit forms for all 2^16, f64 forms for all upper words. $FUNCTIONS selects the
// f32 functions, for example "sin cos"; default: all.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "compute/simt/operations/rows/rows.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

constexpr std::uint64_t inputs = std::uint64_t{1} << 32;
constexpr std::uint64_t chunk = std::uint64_t{1} << 27;

// out[i] = op(first + i · step), for 32-bit operands; with a dividend, op(dividend, first + i ·
// step).
std::string every_input(const std::string& op, bool binary)
{
    return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry every(.param .u64 out, .param .u32 first, .param .u32 step, .param .u32 dividend)
{{
    .reg .b32 %r<8>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [first];
    ld.param.u32 %r2, [step];
    ld.param.u32 %r3, [dividend];
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r4, %r4, 256, %r5;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd1, %rd1, %rd2;
    mad.lo.u32 %r6, %r4, %r2, %r1;
    mov.b32 %f1, %r6;
    mov.b32 %f2, %r3;
    {} %f3, {}%f1;
    st.global.f32 [%rd1], %f3;
    ret;
}}
)",
                       op, binary ? "%f2, " : "");
}

// A kernel that counts the quotients that differ from the product with the divisor's reciprocal.
std::string quotients(const std::string& op, bool full, bool ftz)
{
    const char* flush = ftz ? ".ftz" : "";
    return fmt::format(
        R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry every(.param .u64 out, .param .u32 dividend)
{{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .f32 %f<12>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [dividend];
    mov.b32 %f1, %r1;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r2, 256, %r3;
    mov.u32 %r5, 0;
    mov.u32 %r6, 0;
loop:
    mov.b32 %f2, %r4;
    {0} %f3, %f1, %f2;
    abs{1}.f32 %f4, %f2;
    mov.f32 %f5, 0f3F800000;
    {2}
    {3}
    mul.rn{1}.f32 %f6, %f2, %f5;
    rcp.approx.ftz.f32 %f6, %f6;
    mul.rn{1}.f32 %f7, %f1, %f5;
    mul.rn{1}.f32 %f7, %f6, %f7;
    mov.b32 %r7, %f3;
    mov.b32 %r8, %f7;
    setp.ne.u32 %p3, %r7, %r8;
    @%p3 add.u32 %r6, %r6, 1;
    add.u32 %r4, %r4, 1048576;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r5, 4096;
    @%p3 bra loop;
    red.global.add.u32 [%rd1], %r6;
    ret;
}}
)",
        op, flush,
        ftz ? "" : "setp.lt.f32 %p1, %f4, 0f00800000; selp.f32 %f5, 0f4B800000, %f5, %p1;",
        full ? "setp.gt.f32 %p2, %f4, 0f7E800000; selp.f32 %f5, 0f3E800000, %f5, %p2;" : "");
}

// out[i] = body(index), in 32-bit words; %r4 is the index, %r9 the result.
std::string indexed(const std::string& body)
{
    return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry every(.param .u64 out, .param .u32 first, .param .u32 step, .param .u32 dividend)
{{
    .reg .b16 %h<8>;
    .reg .b32 %r<16>;
    .reg .f32 %f<4>;
    .reg .f64 %d<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [first];
    ld.param.u32 %r2, [step];
    ld.param.u32 %r3, [dividend];
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.u32 %r4, %r4, 256, %r5;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd1, %rd1, %rd2;
    mad.lo.u32 %r6, %r4, %r2, %r1;
    {}
    st.global.u32 [%rd1], %r9;
    ret;
}}
)",
                       body);
}

simt::RowOperation row_operation(const std::string& ptx)
{
    const ptx::Module module = ptx::parse(ptx);
    const auto& instructions = module.functions.at(0).instructions;
    return simt::find_row_operation(instructions.at(instructions.size() - 3), simt::best_isa())
        .value();
}

struct Difference {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> example{0}; // first input that differs, plus 1; 0: none
};

// Factors that derive the lower word of an f64 operand, and that fold both words of a result.
constexpr std::uint32_t lower_of_upper = 0x9e3779b9;
constexpr std::uint32_t seen_of_lower = 0x85ebca6b;

std::uint32_t operand_of(std::uint32_t bits, std::uint32_t)
{
    return bits;
}
std::uint64_t operand_of(std::uint32_t bits, std::uint64_t)
{
    return std::uint64_t{bits} << 32 | bits * lower_of_upper;
}
std::uint32_t hardware_result(std::uint32_t result)
{
    return result;
}
std::uint32_t hardware_result(std::uint64_t result)
{
    return static_cast<std::uint32_t>(result >> 32) +
           static_cast<std::uint32_t>(result) * seen_of_lower;
}

struct Inputs {
    std::uint32_t first;
    std::uint32_t step;
    const std::uint32_t* dividend = nullptr;
};

// Compares the GPU's results with ours on all cores; Word is the type of one lane's operand.
template <class Word = std::uint32_t>
void compare(const simt::RowOperation& operation, std::span<const std::uint32_t> results,
             Inputs inputs_of, Difference& difference)
{
    const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t part = results.size() / threads / 32 * 32 + 32;
    std::vector<std::thread> workers;
    for (std::size_t begin = 0; begin < results.size(); begin += part)
        workers.emplace_back([&, begin] {
            struct alignas(64) Row {
                Word lane[32];
            } operand, fixed, result;
            const std::uint32_t* const dividend = inputs_of.dividend;
            for (Word& lane : fixed.lane) lane = dividend != nullptr ? *dividend : 0;
            simt::RowOperands operands;
            operands.d = &result;
            operands.a = dividend != nullptr ? &fixed : &operand;
            operands.b = &operand;
            for (std::size_t i = begin; i < std::min(begin + part, results.size()); i += 32) {
                const auto bits = [&](std::size_t k) {
                    return inputs_of.first + static_cast<std::uint32_t>(i + k) * inputs_of.step;
                };
                for (std::size_t k = 0; k < 32; ++k) operand.lane[k] = operand_of(bits(k), Word{});
                operation.run(operands, simt::full_mask);
                for (std::size_t k = 0; k < 32; ++k)
                    if (hardware_result(result.lane[k]) != results[i + k]) {
                        ++difference.count;
                        difference.example = std::uint64_t{bits(k)} + 1;
                    }
            }
        });
    for (std::thread& worker : workers) worker.join();
}

class SpecialFunctions : public OnGpu {
protected:
    std::vector<std::uint32_t> results_of(const std::string& ptx, std::uint32_t first,
                                          std::size_t count, std::uint32_t step = 1,
                                          std::uint32_t dividend = 0)
    {
        if (ptx != loaded_) module_ = gpu->load(ptx);
        loaded_ = ptx;
        if (!buffer_) buffer_ = gpu->allocate(chunk * 4);
        device::Launch launch;
        launch.grid = {static_cast<std::uint32_t>((count + 255) / 256), 1, 1};
        launch.block = {256, 1, 1};
        launch.arguments = {*buffer_, first, step, dividend};
        gpu->launch(module_->kernel("every"), launch);
        host_.resize(count);
        gpu->download(std::as_writable_bytes(std::span(host_)), buffer_->address());
        return std::move(host_);
    }

    void expect_equal(const std::string& op, const std::uint32_t* dividend = nullptr)
    {
        const std::string ptx = every_input(op, dividend != nullptr);
        const simt::RowOperation operation = row_operation(ptx);
        Difference difference;
        for (std::uint64_t first = 0; first < inputs; first += chunk) {
            host_ = results_of(ptx, static_cast<std::uint32_t>(first), chunk, 1,
                               dividend != nullptr ? *dividend : 0);
            compare(operation, host_, {static_cast<std::uint32_t>(first), 1, dividend}, difference);
        }
        report(fmt::format("{:22} {:08x}", op, dividend != nullptr ? *dividend : 0), 1, difference);
    }

    // Compares every `step`-th upper word, together with a lower word derived from it.
    void expect_equal_upper_words(const std::string& op, std::uint32_t step)
    {
        const std::string ptx = indexed(
            fmt::format("mul.lo.u32 %r8, %r6, {}; mov.b64 %d1, {{%r8, %r6}}; {} %d2, %d1; mov.b64 "
                        "{{%r10, %r11}}, %d2; mad.lo.u32 %r9, %r10, {}, %r11;",
                        lower_of_upper, op, seen_of_lower));
        const simt::RowOperation operation =
            row_operation(fmt::format(".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n"
                                      "{{ .reg .f64 %d<3>; {} %d2, %d1; exit; ret; }}\n",
                                      op));
        Difference difference;
        for (std::uint64_t first = 0; first < inputs; first += chunk * step) {
            host_ = results_of(ptx, static_cast<std::uint32_t>(first), chunk, step);
            compare<std::uint64_t>(operation, host_, {static_cast<std::uint32_t>(first), step},
                                   difference);
        }
        report(fmt::format("{:31}", op), step, difference);
    }

    static void report(const std::string& what, std::uint32_t step, const Difference& difference)
    {
        printf("%s  %10llu of %llu differ", what.c_str(),
               static_cast<unsigned long long>(difference.count.load()),
               static_cast<unsigned long long>(inputs / step));
        if (difference.count != 0)
            printf(", for example at %08x", static_cast<unsigned>(difference.example - 1));
        printf("\n");
        fflush(stdout);
        EXPECT_EQ(difference.count, 0u) << what;
    }

private:
    std::unique_ptr<device::Buffer> buffer_;
    std::unique_ptr<device::Module> module_;
    std::string loaded_;
    std::vector<std::uint32_t> host_;
};

TEST_F(SpecialFunctions, MatchHardwareForEveryInput)
{
    const char* const chosen = std::getenv("FUNCTIONS");
    for (const char* op : {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"})
        if (chosen == nullptr ||
            (" " + std::string(chosen) + " ").find(std::string(" ") + op + " ") !=
                std::string::npos)
            for (const char* ftz : {"", ".ftz"})
                if (std::string(op) != "tanh" || *ftz == '\0')
                    expect_equal(fmt::format("{}.approx{}.f32", op, ftz));
}

TEST_F(SpecialFunctions, DivisionMatchesHardware)
{
    const std::uint32_t dividends[] = {0x40490fdb, 0x00b8b6f2};
    for (const char* kind : {"approx", "full"})
        for (const char* ftz : {"", ".ftz"})
            for (const std::uint32_t& dividend : dividends)
                expect_equal(fmt::format("div.{}{}.f32", kind, ftz), &dividend);
}

// The GPU itself checks that the quotient equals the dividend times the divisor's reciprocal: a
// hundred dividends, all divisors.
TEST_F(SpecialFunctions, QuotientsAreProductsWithReciprocals)
{
    std::vector<std::uint32_t> dividends = {0,          0x80000000, 1,          0x007fffff,
                                            0x00800000, 0x00ffffff, 0x3f800000, 0xbf800000,
                                            0x3f7fffff, 0x7f7fffff, 0x7f000000, 0x7e800001,
                                            0x7f800000, 0xff800000, 0x7fc00000, 0x33800000};
    std::mt19937 random(29);
    while (dividends.size() < 100) dividends.push_back(static_cast<std::uint32_t>(random()));
    for (const bool full : {false, true})
        for (const bool ftz : {false, true}) {
            const std::string op =
                fmt::format("div.{}{}.f32", full ? "full" : "approx", ftz ? ".ftz" : "");
            const auto module = gpu->load(quotients(op, full, ftz));
            std::uint64_t differing = 0;
            for (const std::uint32_t dividend : dividends) {
                const auto count = uploaded<std::uint32_t>(*gpu, {0});
                device::Launch launch;
                launch.grid = {4096, 1, 1};
                launch.block = {256, 1, 1};
                launch.arguments = {*count, dividend};
                gpu->launch(module->kernel("every"), launch);
                std::uint32_t found = 0;
                gpu->download(std::as_writable_bytes(std::span(&found, 1)), count->address());
                if (found != 0 && differing == 0)
                    printf("%s: %u divisors of %08x differ\n", op.c_str(), found, dividend);
                differing += found;
            }
            printf("%-22s %llu of 100 x 2^32 differ from the product\n", op.c_str(),
                   static_cast<unsigned long long>(differing));
            EXPECT_EQ(differing, 0u) << op;
        }
}

// All 16-bit inputs: our result, the GPU's, and the GPU's f32 form rounded to 16 bits.
TEST_F(SpecialFunctions, HalfFormsMatchHardware)
{
    struct Form {
        const char* op;
        const char* type;
        const char* single;
    };
    for (const Form& form : {Form{"ex2.approx.f16", "f16", "ex2.approx.f32"},
                             Form{"ex2.approx.f16", "f16", "ex2.approx.ftz.f32"},
                             Form{"ex2.approx.ftz.bf16", "bf16", "ex2.approx.ftz.f32"},
                             Form{"ex2.approx.ftz.bf16", "bf16", "ex2.approx.f32"},
                             Form{"tanh.approx.f16", "f16", "tanh.approx.f32"},
                             Form{"tanh.approx.bf16", "bf16", "tanh.approx.f32"}})
        for (const char* rounding : {"rn", "rz"}) {
            const std::string body = fmt::format(
                "cvt.u16.u32 %h1, %r6; {0} %h2, %h1; cvt.f32.{1} %f1, %h1; {2} %f2, %f1; "
                "cvt.{3}.{1}.f32 %h3, %f2; mov.b32 %r9, {{%h2, %h3}};",
                form.op, form.type, form.single, rounding);
            const std::vector<std::uint32_t> both = results_of(indexed(body), 0, 65536);
            const ptx::Module module =
                ptx::parse(fmt::format(".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n"
                                       "{{ .reg .b16 %h<4>; {} %h2, %h1; ret; }}\n",
                                       form.op));
            const simt::RowOperation ours =
                simt::find_row_operation(module.functions.at(0).instructions.at(0),
                                         simt::best_isa())
                    .value();
            int model = 0, mine = 0;
            std::uint32_t model_at = 0, mine_at = 0;
            struct alignas(64) Row {
                std::uint32_t lane[32];
            } operand, result;
            for (std::uint32_t i = 0; i < 65536; i += 32) {
                for (std::uint32_t k = 0; k < 32; ++k) operand.lane[k] = i + k;
                simt::RowOperands operands;
                operands.d = &result;
                operands.a = &operand;
                ours.run(operands, simt::full_mask);
                for (std::uint32_t k = 0; k < 32; ++k) {
                    const std::uint32_t hardware = both[i + k] & 0xffff;
                    if (hardware != both[i + k] >> 16 && model++ == 0) model_at = i + k;
                    if (hardware != (result.lane[k] & 0xffff) && mine++ == 0) mine_at = i + k;
                }
            }
            printf("%-20s of 65536: ours %5d differ (first %04x), cvt.%s of %s %5d differ (first "
                   "%04x)\n",
                   form.op, mine, mine_at, rounding, form.single, model, model_at);
            EXPECT_EQ(mine, 0) << form.op;
        }
}

// All upper words; for the full-precision form every eighth operand, comparing both words of the
// result.
TEST_F(SpecialFunctions, WideFormsMatchHardware)
{
    expect_equal_upper_words("rcp.approx.ftz.f64", 1);
    expect_equal_upper_words("rsqrt.approx.ftz.f64", 1);
    expect_equal_upper_words("rsqrt.approx.f64", 8);
}

} // namespace
} // namespace lanescope::gpu_tests
