// All instruction sets compute the same bits, and inactive lanes keep their values.
#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "compute/simt/native/native.h"
#include "tests/unit/rows/rows.h"

namespace lanescope::simt {
namespace {

std::vector<std::string> all_instructions()
{
    std::vector<std::string> all = {"add.sat.s32",
                                    "sub.sat.s32",
                                    "mul.wide.s16",
                                    "mul.wide.u32",
                                    "mad.wide.s32",
                                    "mad.hi.sat.s32",
                                    "mul24.lo.s32",
                                    "mul24.hi.u32",
                                    "mad24.lo.u32",
                                    "mad24.hi.sat.s32",
                                    "dp4a.s32.u32",
                                    "dp2a.hi.u32.s32",
                                    "vabsdiff4.u32.u32.u32",
                                    "vabsdiff2.s32.s32.s32.add",
                                    "vmin2.s32.s32.s32",
                                    "cvt.rn.satfinite.e4m3x2.f32",
                                    "cvt.rn.satfinite.relu.e5m2x2.f32",
                                    "cvt.rn.satfinite.e5m2x2.f16x2",
                                    "cvt.rn.relu.f16x2.e4m3x2",
                                    "cvt.rn.satfinite.e2m1x2.f32",
                                    "cvt.rn.satfinite.relu.e2m3x2.f16x2",
                                    "cvt.rn.satfinite.e3m2x2.bf16x2",
                                    "cvt.rn.relu.f16x2.e2m1x2",
                                    "cvt.rn.f16x2.e3m2x2",
                                    "cvt.rp.satfinite.ue8m0x2.f32",
                                    "cvt.rz.ue8m0x2.bf16x2",
                                    "cvt.rn.bf16x2.ue8m0x2",
                                    "cvt.rs.relu.f16x2.f32",
                                    "cvt.rs.satfinite.bf16x2.f32",
                                    "cvt.pack.sat.s4.s32.b32",
                                    "cvt.pack.sat.u2.s32.b32",
                                    "add.rz.ftz.f32x2",
                                    "mul.f32x2",
                                    "fma.rn.f32x2",
                                    "add.rm.sat.f32.bf16",
                                    "fma.rn.f32.f16",
                                    "fma.rn.oob.relu.bf16x2",
                                    "vmax2.u32.u32.u32.add",
                                    "vmin4.u32.u32.u32",
                                    "vmax4.s32.s32.s32.add",
                                    "add.s16x2",
                                    "min.relu.s16x2",
                                    "max.u16x2",
                                    "max.relu.s32",
                                    "bfe.s32",
                                    "bfe.u64",
                                    "bfi.b32",
                                    "bfi.b64",
                                    "bfind.s32",
                                    "bfind.shiftamt.u64",
                                    "brev.b32",
                                    "brev.b64",
                                    "clz.b32",
                                    "clz.b64",
                                    "popc.b32",
                                    "popc.b64",
                                    "prmt.b32",
                                    "prmt.b32.b4e",
                                    "prmt.b32.rc16",
                                    "shf.l.clamp.b32",
                                    "shf.r.wrap.b32",
                                    "szext.wrap.s32",
                                    "bmsk.clamp.b32",
                                    "fns.b32",
                                    "lop3.b32",
                                    "add.cc.u32",
                                    "addc.cc.u64",
                                    "subc.u32",
                                    "mad.lo.cc.u32",
                                    "madc.hi.cc.s32",
                                    "and.pred",
                                    "not.pred",
                                    "mov.pred",
                                    "mov.b32",
                                    "mov.b64",
                                    "selp.b32",
                                    "selp.f64",
                                    "slct.f32.f32",
                                    "slct.u64.s32",
                                    "copysign.f32",
                                    "testp.normal.f64",
                                    "rcp.approx.ftz.f64",
                                    "rsqrt.approx.f64",
                                    "div.full.f32",
                                    "div.approx.ftz.f32",
                                    "tanh.approx.bf16x2",
                                    "ex2.approx.f16",
                                    "cvt.rna.tf32.f32",
                                    "cvt.pack.sat.u8.s32.b32",
                                    "cvt.rn.relu.f16x2.f32",
                                    "cvt.rz.bf16x2.f32",
                                    "cvt.rmi.f16.f16",
                                    "cvt.ftz.sat.f32.f32",
                                    "set.lt.f16x2.f16x2",
                                    "set.geu.and.u32.f64"};
    const auto each = [&](const char* pattern, std::initializer_list<const char*> words) {
        for (const char* word : words) all.push_back(fmt::format(fmt::runtime(pattern), word));
    };
    for (const char* op :
         {"add", "sub", "mul.lo", "mul.hi", "mad.lo", "sad", "div", "rem", "min", "max", "shr"})
        each((std::string(op) + ".{}").c_str(), {"u16", "s16", "u32", "s32", "u64", "s64"});
    for (const char* op : {"and", "or", "xor", "not", "cnot", "shl"})
        each((std::string(op) + ".{}").c_str(), {"b16", "b32", "b64"});
    each("abs.{}", {"s16", "s32", "s64", "f32", "ftz.f32", "f64", "f16", "bf16x2"});
    each("neg.{}", {"s16", "s32", "s64", "f32", "ftz.f32", "f64", "f16x2", "bf16"});
    for (const char* op : {"add", "sub", "mul", "fma", "div", "sqrt", "rcp"})
        each((std::string(op) + ".{}").c_str(),
             {"rn.f32", "rz.f32", "rm.ftz.f32", "rp.f32", "rn.f64", "rz.f64", "rm.f64", "rp.f64"});
    each("fma.rn.{}", {"sat.f16", "f16x2", "bf16", "bf16x2"});
    for (const char* op : {"add", "sub", "mul"})
        each((std::string(op) + ".{}").c_str(), {"sat.f16", "f16x2", "rn.bf16", "rn.bf16x2"});
    for (const char* op : {"min", "max"})
        each((std::string(op) + ".{}").c_str(),
             {"f32", "NaN.f32", "f64", "f16x2", "NaN.xorsign.abs.bf16"});
    each("{}.approx.f32", {"sqrt", "rsqrt", "rcp", "ex2", "lg2", "sin", "cos", "tanh"});
    each("setp.{}", {"lt.s32", "hs.u64", "ne.and.s16", "gtu.f32", "nan.or.f64", "le.xor.f16",
                     "equ.bf16x2", "eq.ftz.f32"});
    for (const char* to : {"u8", "s16", "u32", "s64"}) {
        each((std::string("cvt.") + to + ".{}").c_str(), {"s8", "u16", "s32", "u64"});
        each((std::string("cvt.sat.") + to + ".{}").c_str(), {"s8", "u16", "s32", "u64"});
        each((std::string("cvt.{}.") + to + ".f32").c_str(), {"rni", "rzi", "rmi", "rpi.ftz"});
        each((std::string("cvt.{}.") + to + ".f64").c_str(), {"rni", "rzi", "rmi", "rpi"});
        each((std::string("cvt.rzi.") + to + ".{}").c_str(), {"f16", "bf16"});
        for (const char* from : {"f32", "f64", "f16", "bf16"})
            each((std::string("cvt.{}.") + from + "." + to).c_str(), {"rn", "rz", "rm", "rp"});
    }
    // Forms for which only native code has a row operation.
    each("{}", {"mad.wide.u32", "mul.wide.s32", "cvt.f64.f32", "cvt.u32.u16", "cvt.s32.s16",
                "cvt.u16.u32", "cvt.s16.u32", "cvt.u32.u8", "cvt.s32.s8", "cvt.rni.f32.f32",
                "cvt.rmi.f32.f32", "cvt.rpi.f32.f32", "cvt.rzi.f32.f32", "shf.l.wrap.b32",
                "shf.r.clamp.b32", "or.pred", "xor.pred", "selp.b64"});
    for (const char* compare : {"eq", "ne", "lt", "le", "gt", "ge"})
        each((std::string("setp.") + compare + ".{}").c_str(),
             {"s32", "and.u32", "s64", "or.u64", "f32", "xor.f64", "s16", "or.u16"});
    for (const char* compare : {"equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"})
        each((std::string("setp.") + compare + ".{}").c_str(), {"f32", "and.f64"});
    for (const char* mode : {"rn", "rz", "rm", "rp"})
        each((std::string("cvt.") + mode + ".{}").c_str(),
             {"f32.f64", "f16.f32", "bf16.f32", "f16.f64", "bf16.f16"});
#ifdef __wasm__ // WebAssembly can round f64 only to nearest
    std::erase_if(all, [](const std::string& words) {
        const auto found = find_row_operation(instruction(words), Isa::baseline);
        return !found && words.ends_with("64");
    });
#endif
    return all;
}

// Bit patterns that often are special cases: small numbers, values near the limits of every type,
// and random ones.
std::uint64_t interesting(std::mt19937_64& random)
{
    const std::uint64_t any = random();
    switch (random() % 6) {
    case 0: return any % 70;
    case 1: return 0x7ff0000000000000u + (any % 3) - 1;
    case 2: return (0x7f800000u + (any % 3) - 1) * 0x100000001u;
    case 3: return (any & 0x8000800080008000u) | 0x7c003c0000017c00u;
    case 4: return (any & 0x8000000080000000u) | 0x3f80000040490fdbu;
    default: return any;
    }
}

TEST(Rows, InstructionSetsAgreeAndRespectMasks)
{
    std::mt19937_64 random(5);
    const auto sets = runnable_sets();
    int native_results = 0;
    for (const std::string& words : all_instructions()) {
        const auto baseline = find_row_operation(instruction(words), Isa::baseline);
        ASSERT_TRUE(baseline.has_value()) << words;
        for (int round = 0; round < 8; ++round) {
            std::array<Row, 4> sources;
            Row before;
            for (int lane = 0; lane < 64; ++lane) {
                for (Row& row : sources) row.set(lane, interesting(random));
                before.set(lane, random());
            }
            const auto carry = static_cast<std::uint32_t>(random());
            const auto active = static_cast<std::uint32_t>(random());
            const Result full = run(*baseline, sources, full_mask, before, carry);
            const Result part = run(*baseline, sources, active, before, carry);
            for (const Isa isa : sets) {
                const auto operation = find_row_operation(instruction(words), isa);
                ASSERT_TRUE(operation.has_value()) << words;
                EXPECT_EQ(run(*operation, sources, full_mask, before, carry), full)
                    << words << " on set " << static_cast<int>(isa);
                EXPECT_EQ(run(*operation, sources, active, before, carry), part)
                    << words << " on set " << static_cast<int>(isa);
                // Native code does not set the carry.
                const auto same = [&](const std::optional<Result>& found, Result wanted) {
                    if (!found) return;
                    wanted.carry = 0;
                    EXPECT_EQ(*found, wanted) << words << " in native code";
                    ++native_results;
                };
                same(run_native(*operation, isa, sources, full_mask, before), full);
                same(run_native(*operation, isa, sources, active, before), part);
                same(run_native(*operation, isa, sources, full_mask, before, active), part);
                same(run_native(*operation, isa, sources, ~active, before, ~active),
                     run(*baseline, sources, ~active, before, carry));
            }
            EXPECT_EQ(run(*baseline, sources, 0, before, carry).destinations[0], before) << words;
            for (int k = 0; k < baseline->destination_count; ++k) {
                const Row& whole = full.destinations[k];
                const Row& some = part.destinations[k];
                if (baseline->destinations[k] == ptx::Type::pred) {
                    const auto kept = before.get<std::uint32_t>(0) & ~active;
                    EXPECT_EQ(some.get<std::uint32_t>(0),
                              (whole.get<std::uint32_t>(0) & active) | kept)
                        << words;
                    continue;
                }
                const bool wide = ptx::size_bytes(baseline->destinations[k]) == 8;
                for (int lane = 0; lane < warp_lanes; ++lane) {
                    const Row& from = (active >> lane & 1) != 0 ? whole : before;
                    if (wide)
                        EXPECT_EQ(some.get<std::uint64_t>(lane), from.get<std::uint64_t>(lane))
                            << words;
                    else
                        EXPECT_EQ(some.get<std::uint32_t>(lane), from.get<std::uint32_t>(lane))
                            << words;
                }
            }
        }
    }
    EXPECT_GE(native_results, native::is_possible() ? 4000 : 0);
}

TEST(Rows, RefusesUnknownInstruction)
{
    for (const char* words : {"ld.global.f32", "add", "add.f128", "add.sideways.f32", "div.rz.f16",
                              "mul.f32.wrap.nonsense", "wmma.load", "cvt.rn.e4m3x2.f32",
                              "setp.about.f32", "min.sat.u32"})
        EXPECT_FALSE(find_row_operation(instruction(words), best_isa()).has_value()) << words;
}

} // namespace
} // namespace lanescope::simt
