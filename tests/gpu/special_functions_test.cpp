// Approximate instructions against the GPU for every input: f32 by all 2^32, division by all
// divisors, 16-bit forms by all 2^16, f64 forms by all upper halves of several exponents. What the
// machine does not play bit for bit yet is compared with models, and written to $OUT, so that one
// can be fitted. $FUNCTIONS chooses those of f32: "sin cos"; all without it.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
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
    const char* const chosen = std::getenv("FUNCTIONS");
    for (const char* op : {"rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2"})
        if (chosen == nullptr ||
            (" " + std::string(chosen) + " ").find(std::string(" ") + op + " ") !=
                std::string::npos)
            for (const char* ftz : {"", ".ftz"})
                expect_equal(fmt::format("{}.approx{}.f32", op, ftz));
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

// The 16-bit forms for all inputs: ours, and the f32 form on the GPU itself, rounded.
TEST_F(SpecialFunctions, HalfFormsAgainstTheirModels)
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
        }
}

// The upper words of f64 forms, and tanh of f32: how often and how far ours is off.
TEST_F(SpecialFunctions, WideFormsAgainstTheirModels)
{
    for (const char* op : {"rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64"}) {
        const std::string body =
            fmt::format("mov.u32 %r8, 0; mov.b64 %d1, {{%r8, %r6}}; {} %d2, %d1; mov.b64 "
                        "{{%r10, %r11}}, %d2; mov.u32 %r9, %r11;",
                        op);
        const std::vector<std::uint32_t> hardware =
            results_of(indexed(body), 0x3ff00000, std::size_t{1} << 21);
        std::map<std::int64_t, int> truncated, nearest;
        for (std::size_t i = 0; i < hardware.size(); ++i) {
            const double a =
                std::bit_cast<double>(static_cast<std::uint64_t>(0x3ff00000 + i) << 32);
            const double exact = std::string(op).starts_with("rcp") ? 1 / a : 1 / std::sqrt(a);
            const auto bits = std::bit_cast<std::uint64_t>(exact);
            ++truncated[std::int64_t{hardware[i]} - static_cast<std::int64_t>(bits >> 32)];
            ++nearest[std::int64_t{hardware[i]} -
                      static_cast<std::int64_t>((bits + 0x80000000u) >> 32)];
        }
        for (const auto& [name, off] :
             {std::pair{"cut off", &truncated}, {"to nearest", &nearest}}) {
            printf("%-22s %-10s off by:", op, name);
            for (const auto& [by, count] : *off)
                printf(" %+lld: %d", static_cast<long long>(by), count);
            printf("\n");
        }
    }
    const std::vector<std::uint32_t> hardware =
        results_of(every_input("tanh.approx.f32", false), 0, std::size_t{1} << 21, 2048 + 1);
    std::size_t differ = 0;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < hardware.size(); ++i) {
        const auto bits = static_cast<std::uint32_t>(i * 2049);
        const auto exact =
            std::bit_cast<std::uint32_t>(static_cast<float>(std::tanh(std::bit_cast<float>(bits))));
        const bool nan = (bits & 0x7fffffff) > 0x7f800000;
        if (nan || hardware[i] == exact) continue;
        ++differ;
        most = std::max(most, std::abs(std::int64_t{hardware[i]} - std::int64_t{exact}));
    }
    printf(
        "tanh.approx.f32        of 2^21: %zu differ from the rounded function, by %lld at most\n",
        differ, static_cast<long long>(most));
}

// Products of 8-bit floating-point numbers: which sum is it? A model keeps so many bits below the
// largest exponent, adds so many products at once, and gives so many bits of the sum.
TEST_F(SpecialFunctions, OctetProductsAgainstTheirModels)
{
    constexpr std::size_t tiles = 96;
    for (const char* type : {"e4m3", "e5m2"})
        for (const bool wild : {false, true}) {
            const int fraction = std::string(type) == "e4m3" ? 3 : 2;
            const int bias = fraction == 3 ? 7 : 15;
            std::mt19937 random(wild ? 2 : 1);
            const auto octet = [&] {
                for (;;) {
                    const auto one = static_cast<std::uint8_t>(random());
                    const int size = one & 0x7f;
                    const bool number = fraction == 3 ? size < 0x7f : size < 0x7c;
                    // Near one, so that terms are cut off and cancel; else any number.
                    if (number && (wild || std::abs((size >> fraction) - bias) <= 3)) return one;
                }
            };
            std::vector<std::uint8_t> a(tiles * 16 * 32), b(tiles * 32 * 8);
            std::vector<float> c(tiles * 16 * 8);
            for (std::uint8_t& one : a) one = octet();
            for (std::uint8_t& one : b) one = octet();
            for (float& one : c)
                one = std::ldexp(static_cast<float>(static_cast<std::int32_t>(random())),
                                 static_cast<int>(random() % 12) - 36);
            const std::string ptx = fmt::format(R"(.version 8.4
.target sm_89
.address_size 64
.visible .entry tile(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)
{{
    .reg .b32 %r<16>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<8>;
    mov.u32 %r0, %ctaid.x;
    mov.u32 %r1, %tid.x;
    mad.lo.u32 %r2, %r0, 32, %r1;
    ld.param.u64 %rd0, [pa];
    mad.wide.u32 %rd0, %r2, 16, %rd0;
    ld.global.v4.u32 {{%r4, %r5, %r6, %r7}}, [%rd0];
    ld.param.u64 %rd1, [pb];
    mad.wide.u32 %rd1, %r2, 8, %rd1;
    ld.global.v2.u32 {{%r8, %r9}}, [%rd1];
    ld.param.u64 %rd2, [pc];
    mad.wide.u32 %rd2, %r2, 16, %rd2;
    ld.global.v4.f32 {{%f0, %f1, %f2, %f3}}, [%rd2];
    mma.sync.aligned.m16n8k32.row.col.f32.{0}.{0}.f32 {{%f4, %f5, %f6, %f7}}, {{%r4, %r5, %r6, %r7}}, {{%r8, %r9}}, {{%f0, %f1, %f2, %f3}};
    ld.param.u64 %rd3, [pd];
    mad.wide.u32 %rd3, %r2, 16, %rd3;
    st.global.v4.f32 [%rd3], {{%f4, %f5, %f6, %f7}};
    ret;
}}
)",
                                                type);
            // As the lanes hold them.
            std::vector<std::uint8_t> fa(a.size()), fb(b.size());
            std::vector<float> fc(c.size());
            const auto place_c = [](std::size_t lane, std::size_t i) {
                return (lane / 4 + (i >= 2 ? 8 : 0)) * 8 + lane % 4 * 2 + i % 2;
            };
            for (std::size_t t = 0; t < tiles; ++t)
                for (std::size_t lane = 0; lane < 32; ++lane) {
                    for (std::size_t i = 0; i < 16; ++i) {
                        const std::size_t row = lane / 4 + ((i / 4) % 2 != 0 ? 8 : 0);
                        const std::size_t k = lane % 4 * 4 + i % 4 + (i >= 8 ? 16 : 0);
                        fa[(t * 32 + lane) * 16 + i] = a[(t * 16 + row) * 32 + k];
                    }
                    for (std::size_t i = 0; i < 8; ++i) {
                        const std::size_t k = lane % 4 * 4 + i % 4 + (i >= 4 ? 16 : 0);
                        fb[(t * 32 + lane) * 8 + i] = b[(t * 32 + k) * 8 + lane / 4];
                    }
                    for (std::size_t i = 0; i < 4; ++i)
                        fc[(t * 32 + lane) * 4 + i] = c[t * 128 + place_c(lane, i)];
                }
            const auto module = gpu->load(ptx);
            const auto ba = uploaded(*gpu, fa), bb = uploaded(*gpu, fb), bc = uploaded(*gpu, fc);
            const auto bd = gpu->allocate(fc.size() * 4);
            gpu->launch(module->kernel("tile"), {{static_cast<std::uint32_t>(tiles), 1, 1},
                                                 {32, 1, 1},
                                                 0,
                                                 {*ba, *bb, *bc, *bd},
                                                 nullptr});
            const auto d = device::download<std::uint32_t>(*gpu, bd->address(), fc.size());
            std::vector<std::uint32_t> all;
            for (const auto* bytes : {&fa, &fb})
                for (std::size_t i = 0; i < bytes->size(); i += 4) {
                    std::uint32_t word = 0;
                    std::memcpy(&word, bytes->data() + i, 4);
                    all.push_back(word);
                }
            for (const float one : fc) all.push_back(std::bit_cast<std::uint32_t>(one));
            all.insert(all.end(), d.begin(), d.end());
            write(fmt::format("mma.{}.{}", type, wild ? "any" : "near"), all);

            struct Term {
                std::int64_t significand;
                int exponent; // of the unit of the leading digit
                int fraction;
            };
            const auto factor = [&](std::uint8_t one) {
                const int exponent = (one & 0x7f) >> fraction;
                const int digits =
                    (one & ((1 << fraction) - 1)) | (exponent != 0 ? 1 << fraction : 0);
                return Term{(one & 0x80) != 0 ? -digits : digits, std::max(exponent, 1) - bias,
                            fraction};
            };
            const auto single = [](std::uint32_t bits) {
                const int exponent = static_cast<int>(bits >> 23 & 0xff);
                const std::int64_t digits = (bits & 0x7fffff) | (exponent != 0 ? 0x800000 : 0);
                return Term{bits >> 31 != 0 ? -digits : digits, std::max(exponent, 1) - 127, 23};
            };
            // To f32 with so many bits behind the point, cut off.
            const auto packed = [](std::int64_t sum, int unit, int keeps) {
                if (sum == 0) return std::uint32_t{0};
                std::int64_t size = std::abs(sum);
                while (size >= std::int64_t{2} << keeps) {
                    size >>= 1;
                    ++unit;
                }
                const auto value = static_cast<float>(std::ldexp(static_cast<double>(size), unit));
                return std::bit_cast<std::uint32_t>(sum < 0 ? -value : value);
            };
            for (const int at_once : {32, 16, 8})
                for (const int keeps : {23, 13})
                    for (int kept = 10; kept <= 26; ++kept) {
                        std::size_t equal = 0;
                        for (std::size_t t = 0; t < tiles; ++t)
                            for (std::size_t lane = 0; lane < 32; ++lane)
                                for (std::size_t i = 0; i < 4; ++i) {
                                    const std::size_t place = place_c(lane, i);
                                    std::uint32_t sum =
                                        std::bit_cast<std::uint32_t>(c[t * 128 + place]);
                                    for (int first = 0; first < 32; first += at_once) {
                                        std::vector<Term> terms{single(sum)};
                                        for (int k = first; k < first + at_once; ++k) {
                                            const Term x = factor(a[(t * 16 + place / 8) * 32 +
                                                                    static_cast<std::size_t>(k)]);
                                            const Term y = factor(
                                                b[(t * 32 + static_cast<std::size_t>(k)) * 8 +
                                                  place % 8]);
                                            terms.push_back({x.significand * y.significand,
                                                             x.exponent + y.exponent,
                                                             2 * fraction});
                                        }
                                        int largest = -1000;
                                        for (const Term& one : terms)
                                            if (one.significand != 0)
                                                largest = std::max(largest, one.exponent);
                                        std::int64_t total = 0;
                                        for (const Term& one : terms) {
                                            if (one.significand == 0) continue;
                                            const int drop =
                                                largest - one.exponent + one.fraction - kept;
                                            const std::int64_t size = std::abs(one.significand);
                                            const std::int64_t cut =
                                                drop >= 0 ? size >> std::min(drop, 62)
                                                          : size << -drop;
                                            total += one.significand < 0 ? -cut : cut;
                                        }
                                        sum = packed(total, largest - kept, keeps);
                                    }
                                    equal += sum == d[(t * 32 + lane) * 4 + i];
                                }
                        const std::size_t count = tiles * 128;
                        if (equal * 4 > count)
                            printf(
                                "mma %s, %s numbers: %d at once, %d bits kept, result of %d bits: "
                                "%zu of %zu equal\n",
                                type, wild ? "any" : "near", at_once, kept, keeps, equal, count);
                    }
        }
}

} // namespace
} // namespace lanescope::gpu_tests
