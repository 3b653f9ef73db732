// Approximate instructions against the GPU for every input: f32 by all 2^32, division by all
// divisors, 16-bit forms by all 2^16, f64 forms by all upper halves of several exponents. What the
// machine does not play bit for bit yet is written to $OUT, so that a model can be fitted.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <fmt/format.h>

#include "compute/simt/operations/rows/rows.h"
#include "tests/gpu/gpu.h"

namespace lanescope::gpu_tests {
namespace {

constexpr std::uint64_t inputs = std::uint64_t{1} << 32;
constexpr std::uint64_t chunk = std::uint64_t{1} << 27;

// out[i] = op(first + i · step), for operands of 32 bits; with a dividend, op(dividend, that).
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

// Counts where a quotient is not the product that it is made of.
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

simt::RowOperation row_operation(const std::string& ptx)
{
    const ptx::Module module = ptx::parse(ptx);
    const auto& instructions = module.functions.at(0).instructions;
    return simt::find_row_operation(instructions.at(instructions.size() - 3), simt::best_isa())
        .value();
}

struct Difference {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> example{0}; // one more than the input
};

// Compares results of the operands from `first` on, by all processors.
void compare(const simt::RowOperation& operation, std::span<const std::uint32_t> results,
             std::uint32_t first, const std::uint32_t* dividend, Difference& difference)
{
    const std::size_t threads = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t part = results.size() / threads / 32 * 32 + 32;
    std::vector<std::thread> workers;
    for (std::size_t begin = 0; begin < results.size(); begin += part)
        workers.emplace_back([&, begin] {
            struct alignas(64) Row {
                std::uint32_t lane[32];
            } operand, fixed, result;
            for (std::uint32_t& lane : fixed.lane) lane = dividend != nullptr ? *dividend : 0;
            simt::RowOperands operands;
            operands.d = &result;
            operands.a = dividend != nullptr ? &fixed : &operand;
            operands.b = &operand;
            for (std::size_t i = begin; i < std::min(begin + part, results.size()); i += 32) {
                for (std::uint32_t k = 0; k < 32; ++k)
                    operand.lane[k] = first + static_cast<std::uint32_t>(i) + k;
                operation.run(operands, simt::full_mask);
                if (std::memcmp(result.lane, results.data() + i, sizeof(result)) == 0) continue;
                for (std::uint32_t k = 0; k < 32; ++k)
                    if (result.lane[k] != results[i + k]) {
                        ++difference.count;
                        difference.example = std::uint64_t{operand.lane[k]} + 1;
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
            compare(operation, host_, static_cast<std::uint32_t>(first), dividend, difference);
        }
        printf("%-22s %08x  %10llu of 2^32 differ", op.c_str(), dividend != nullptr ? *dividend : 0,
               static_cast<unsigned long long>(difference.count.load()));
        if (difference.count != 0)
            printf(", for example at %08x", static_cast<unsigned>(difference.example - 1));
        printf("\n");
        fflush(stdout);
        EXPECT_EQ(difference.count, 0u) << op;
    }

private:
    std::unique_ptr<device::Buffer> buffer_;
    std::unique_ptr<device::Module> module_;
    std::string loaded_;
    std::vector<std::uint32_t> host_;
};

TEST_F(SpecialFunctions, EqualTheHardwareForEveryInput)
{
    for (const char* op : {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"})
        for (const char* ftz : {"", ".ftz"}) expect_equal(fmt::format("{}.approx{}.f32", op, ftz));
}

TEST_F(SpecialFunctions, DivideAsTheHardwareDoes)
{
    const std::uint32_t dividends[] = {0x40490fdb, 0x00b8b6f2};
    for (const char* kind : {"approx", "full"})
        for (const char* ftz : {"", ".ftz"})
            for (const std::uint32_t& dividend : dividends)
                expect_equal(fmt::format("div.{}{}.f32", kind, ftz), &dividend);
}

// That the quotient is that product, for all divisors of a hundred dividends, the GPU itself can
// say.
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

// out[i] = body(index), by 32-bit words; %r4 is the index, %r9 the result.
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

void write(const std::string& name, const std::vector<std::uint32_t>& words)
{
    const char* out = std::getenv("OUT");
    if (out == nullptr) return;
    std::filesystem::create_directories(out);
    std::ofstream file(std::filesystem::path(out) / (name + ".bin"), std::ios::binary);
    file.write(reinterpret_cast<const char*>(words.data()),
               static_cast<std::streamsize>(words.size() * 4));
}

TEST_F(SpecialFunctions, RecordsWhatIsNotPlayedYet)
{
    if (std::getenv("OUT") == nullptr) GTEST_SKIP() << "$OUT says where recordings go";
    for (const char* op :
         {"ex2.approx.f16", "ex2.approx.ftz.bf16", "tanh.approx.f16", "tanh.approx.bf16"})
        write(op, results_of(indexed(fmt::format("cvt.u16.u32 %h1, %r6; {} %h2, %h1; "
                                                 "cvt.u32.u16 %r9, %h2;",
                                                 op)),
                             0, 65536));
    // Upper halves of f64: two exponents densely, and every exponent sparsely; then with lower
    // halves.
    for (const char* op : {"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64"}) {
        const auto body = [&](const char* low, const char* half) {
            return indexed(fmt::format("{} mov.b64 %d1, {{%r8, %r6}}; {} %d2, %d1; mov.b64 "
                                       "{{%r10, %r11}}, %d2; mov.u32 %r9, {};",
                                       low, op, half));
        };
        const std::string zero = "mov.u32 %r8, 0;";
        write(fmt::format("{}.dense", op),
              results_of(body(zero.c_str(), "%r11"), 0x3ff00000, 1 << 21));
        write(fmt::format("{}.sparse", op),
              results_of(body(zero.c_str(), "%r11"), 0x00000123, 1 << 18, 16384 + 1));
        write(fmt::format("{}.low_of_sparse", op),
              results_of(body(zero.c_str(), "%r10"), 0x00000123, 1 << 18, 16384 + 1));
        write(fmt::format("{}.with_low", op),
              results_of(body("mul.lo.u32 %r8, %r6, 0x9e3779b9;", "%r11"), 0x00000123, 1 << 18,
                         16384 + 1));
    }
    // tanh of f32: where it is a line and where it is 1 say all of it; between them, by 2^6 and
    // densely.
    const std::string tanh = every_input("tanh.approx.f32", false);
    write("tanh.approx.f32.sparse", results_of(tanh, 0, 1 << 21, 2048 + 1));
    write("tanh.approx.f32.between", results_of(tanh, 0x38000000, 0x0a000000 / 64, 64));
    write("tanh.approx.f32.dense_half", results_of(tanh, 0x3f000000, 1 << 20));
    write("tanh.approx.f32.dense_eighth", results_of(tanh, 0x3e000000, 1 << 20));
    write("tanh.approx.f32.dense_two", results_of(tanh, 0x40000000, 1 << 20));
}

} // namespace
} // namespace lanescope::gpu_tests
