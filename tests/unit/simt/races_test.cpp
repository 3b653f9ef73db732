// Races between lanes, warps and blocks, in shared and global memory, for every pair of accesses:
// 60 racy kernels, each detected in any warp order, and their fixes.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compute/simt/machine/state/launch_state.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

enum class Who { lanes, warps, blocks };
enum class Pair { store_store, store_load, atomic_plain };
// Thread 0 makes the first access and thread 1 the second; the reverse; all threads access their
// own element first, then their neighbour's; the same with 8-byte words.
enum class Shape { first_then_second, second_then_first, neighbours, wide };

constexpr Who everyone[] = {Who::lanes, Who::warps, Who::blocks};
constexpr Pair pairs[] = {Pair::store_store, Pair::store_load, Pair::atomic_plain};
constexpr Shape shapes[] = {Shape::first_then_second, Shape::second_then_first, Shape::neighbours,
                            Shape::wide};

struct Racy {
    Who who;
    bool shared;
    Pair pair;
    Shape shape;
    bool mended;
};

std::string name(const Racy& racy)
{
    constexpr std::string_view who[] = {"lanes", "warps", "blocks"};
    constexpr std::string_view pair[] = {"store and store", "store and load", "atomic and plain"};
    return fmt::format("{}, {}, {}, shape {}{}", who[static_cast<int>(racy.who)],
                       racy.shared ? "shared" : "global", pair[static_cast<int>(racy.pair)],
                       static_cast<int>(racy.shape), racy.mended ? ", mended" : "");
}

// Races of lanes and warps are fixed by synchronisation, those of blocks by separate elements.
std::string kernel_of(const Racy& racy)
{
    const bool wide = racy.shape == Shape::wide, all = wide || racy.shape == Shape::neighbours;
    const int bytes = wide ? 8 : 4;
    const std::string_view space = racy.shared ? "shared" : "global";
    const std::string_view value = wide ? "%value64" : "%value";
    const auto access = [&](bool first) {
        const bool atomic = racy.pair == Pair::atomic_plain && first;
        const bool load = racy.pair == Pair::store_load && !first;
        const std::string_view at = first ? "%first" : "%second";
        if (atomic) return fmt::format("red.{}.add.u{} [{}], {};\n", space, 8 * bytes, at, value);
        if (load)
            return fmt::format("ld.{}.u{} {}, [{}];\nst.global.u{} [%out], {};\n", space, 8 * bytes,
                               wide ? "%got64" : "%got", at, 8 * bytes, wide ? "%got64" : "%got");
        return fmt::format("st.{}.u{} [{}], {};\n", space, 8 * bytes, at, value);
    };
    const std::string order = !racy.mended             ? ""
                              : racy.who == Who::lanes ? "bar.warp.sync -1;\n"
                              : racy.who == Who::warps ? "bar.sync 0;\n"
                                                       : "";
    const bool own_places = racy.mended && racy.who == Who::blocks;
    std::string body;
    if (all) {
        body = access(true) + order + access(false);
    } else {
        const bool turned = racy.shape == Shape::second_then_first;
        const auto guarded = [&](std::string_view predicate, const std::string& text) {
            std::string out;
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t end = text.find('\n', at) + 1;
                out += fmt::format("@{} {}", predicate, text.substr(at, end - at));
                at = end;
            }
            return out;
        };
        body = guarded(turned ? "%is_1" : "%is_0", access(true)) + order +
               guarded(turned ? "%is_0" : "%is_1", access(false));
    }
    // Only the first lane of each warp takes part.
    const std::string_view index = racy.who == Who::blocks ? "%ctaid.x" : "%tid.x";
    const int second = racy.who == Who::warps ? 32 : 1;
    return fmt::format(
        R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 global, .param .u64 out)
{{
.reg .pred %is_0, %is_1;
.reg .b32 %value, %who, %thread, %next, %got;
.reg .b64 %base, %first, %second, %out, %value64, %got64, %offset;
.shared .align 8 .b8 places[4096];
mov.u32 %thread, %tid.x;
mov.u32 %who, {0};
setp.eq.u32 %is_0, %who, 0;
setp.eq.u32 %is_1, %who, {7};
mov.u32 %value, %ctaid.x;
shl.b32 %value, %value, 10;
add.u32 %value, %value, %thread;
add.u32 %value, %value, 1;
cvt.u64.u32 %value64, %value;
mul.wide.u32 %out, %value, 8;
ld.param.u64 %base, [out];
add.s64 %out, %out, %base;
{1}
mov.u32 %next, {2};
mul.wide.u32 %offset, %next, {3};
add.s64 %first, %base, %offset;
xor.b32 %next, %next, {4};
mul.wide.u32 %offset, %next, {3};
add.s64 %second, %base, %offset;
{5}
{6}
ret;
}}
)",
        index, racy.shared ? "mov.u64 %base, places;" : "ld.param.u64 %base, [global];",
        // Index of the element: 0 for all threads, or the thread's own (then its neighbour's).
        !all                      ? "0"
        : racy.who == Who::blocks ? "%who"
                                  : "%thread",
        bytes,
        !all || own_places       ? 0
        : racy.who == Who::warps ? 32
                                 : 1,
        own_places && !all ? "mul.wide.u32 %offset, %who, 64;\nadd.s64 %first, %first, %offset;\n"
                             "add.s64 %second, %second, %offset;"
                           : "",
        body, second);
}

std::string found(const Racy& racy, int threads)
{
    Options options;
    options.threads = threads;
    options.checks.races = true; // only races: some kernels read uninitialised shared memory
    Machine machine = Machine::from_text(kernel_of(racy), options);
    const auto global = machine.buffer(std::vector<std::uint64_t>(512));
    const auto out = machine.buffer(std::vector<std::uint64_t>(8192));
    Machine::Shape shape;
    shape.block.x = racy.who == Who::warps ? 64 : racy.who == Who::blocks ? 1 : 32;
    shape.grid.x = racy.who == Who::blocks ? 2 : 1;
    const trace::Fault fault = machine.fault("k", shape, *global, *out);
    return fault.kind + (fault.kind == "none" ? "" : ": " + fault.message);
}

std::vector<Racy> kernels(bool mended)
{
    std::vector<Racy> all;
    for (const Who who : everyone)
        for (const bool shared : {false, true})
            for (const Pair pair : pairs)
                for (const Shape shape : shapes)
                    if (!shared || who != Who::blocks)
                        all.push_back({who, shared, pair, shape, mended});
    return all;
}

TEST(Races, AreFoundBetweenLanesWarpsAndBlocks)
{
    int count = 0;
    for (const Racy& racy : kernels(false)) {
        const std::string fault = found(racy, 2);
        EXPECT_TRUE(fault.starts_with("race")) << name(racy) << ": " << fault << kernel_of(racy);
        if (racy.who == Who::lanes) {
            EXPECT_NE(fault.find("of the same warp"), std::string::npos) << fault;
        }
        ++count;
    }
    EXPECT_EQ(count, 60);
}

TEST(Races, SynchronisationFixesThem)
{
    for (const Racy& racy : kernels(true)) EXPECT_EQ(found(racy, 2), "none") << name(racy);
}

std::string one_instruction(std::string_view value)
{
    return fmt::format(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 global)
{{
.reg .b32 %thread;
.reg .b64 %at;
ld.param.u64 %at, [global];
mov.u32 %thread, %tid.x;
st.global.u32 [%at], {};
ret;
}}
)",
                       value);
}

TEST(Races, SameValueInOneStoreIsNotARace)
{
    Options options;
    options.checks.races = true; // only races: some kernels read uninitialised shared memory
    Machine differ = Machine::from_text(one_instruction("%thread"), options);
    const auto place = differ.buffer(std::vector<std::uint32_t>(1));
    const trace::Fault fault = differ.fault("k", {}, *place);
    EXPECT_EQ(fault.kind, "race");
    EXPECT_NE(fault.message.find("another value in the same instruction"), std::string::npos);
    Machine agree = Machine::from_text(one_instruction("7"), options);
    const auto other = agree.buffer(std::vector<std::uint32_t>(1));
    EXPECT_EQ(agree.fault("k", {}, *other).kind, "none");
}

// The fast checks only find that a race is possible. If that is just before the time limit, the
// precise checks still get the time to name the race.
TEST(Races, AreReportedAtTimeLimit)
{
    std::string text = one_instruction("%thread");
    text.insert(text.find("st.global"),
                "L: add.u32 %turn, %turn, 1;\nsetp.lt.u32 %again, %turn, 3000;\n@%again bra L;\n");
    text.insert(text.find(".reg .b32 %thread"), ".reg .b32 %turn;\n.reg .pred %again;\n");
    text.insert(text.find("L: add"), "mov.u32 %turn, 0;\n");
    for (double limit_s = 1e-6; limit_s < 0.1; limit_s *= 1.2) {
        Options options;
        options.checks.races = true;
        options.time_limit_s = limit_s;
        Machine machine = Machine::from_text(text, options);
        const auto place = machine.buffer(std::vector<std::uint32_t>(1));
        const std::string kind = machine.fault("k", {}, *place).kind;
        EXPECT_TRUE(kind == "race" || kind == "time_limit") << kind << " at " << limit_s;
    }
}

// A single warp: each thread accesses its own byte, half or word repeatedly. Then, after a barrier,
// half of the lanes or every other lane reads elements that others have written.
std::string places_of_lanes(std::string_view type, int bytes, std::string_view which, int from)
{
    return fmt::format(R"(.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 global)
{{
.reg .pred %some;
.reg .b32 %thread, %value, %other, %at, %bit;
.shared .align 8 .b8 places[2048];
mov.u32 %thread, %tid.x;
mov.u32 %at, places;
mad.lo.u32 %at, %thread, {1}, %at;
st.shared.{0} [%at], %thread;
st.shared.{0} [%at+{4}], %thread;
ld.shared.{0} %value, [%at];
add.u32 %value, %value, 1;
st.shared.{0} [%at], %value;
bar.sync 0;
{2}
@!%some bra END;
ld.shared.{0} %value, [%at];
ld.shared.{0} %other, [%at+{3}];
add.u32 %value, %value, %other;
st.shared.{0} [%at], %value;
END:
ret;
}}
)",
                       type, bytes, which, from * bytes, 32 * bytes);
}

// Outcome of a launch, and whether the precise checks ran.
struct Ended {
    std::string kind = "none";
    bool precisely = false;
};

Ended ended(const std::string& text)
{
    Options options;
    options.checks.races = options.checks.uninitialised = true;
    Machine machine = Machine::from_text(text, options);
    const auto global = machine.buffer(std::vector<std::uint32_t>(1));
    LaunchState state =
        machine.device().prepare(machine.module().kernel("k"),
                                 {{4, 1, 1}, {32, 1, 1}, 0, {device::Argument(*global)}, nullptr});
    Ended how;
    state.before_precise_checks = [&] { how.precisely = true; };
    try {
        machine.device().run(state, nullptr);
    } catch (const device::KernelFault& fault) {
        how.kind = fault.fault().kind;
    }
    return how;
}

TEST(Races, OwnElementsAreNotSuspected)
{
    const std::string half = "and.b32 %bit, %thread, 16;\nsetp.eq.u32 %some, %bit, 0;";
    const std::string other = "and.b32 %bit, %thread, 1;\nsetp.eq.u32 %some, %bit, 0;";
    for (const auto& [type, bytes] : {std::pair{"u8", 1}, {"u16", 2}, {"u32", 4}})
        for (const auto& [which, from] : {std::pair{half, 16}, {other, 1}}) {
            const std::string text = places_of_lanes(type, bytes, which, from);
            const Ended how = ended(text);
            EXPECT_EQ(how.kind, "none") << text;
            EXPECT_FALSE(how.precisely) << text;
            // Without the barrier, the other lanes may still be writing the same elements.
            std::string racy = text;
            racy.replace(racy.find("bar.sync 0;"), 11, "");
            EXPECT_EQ(ended(racy).kind, "race") << racy;
            // Without the branch, the other lanes overwrite elements that these lanes have just
            // read.
            const std::string_view only = "@!%some bra END;";
            racy = text;
            racy.replace(racy.find(only), only.size(), "");
            EXPECT_EQ(ended(racy).kind, "race") << racy;
        }
}

// A limited number of readers is recorded per element; any further ones share one record.
TEST(Races, ReadersMayBeMerged)
{
    const auto text = [](int reads) {
        return fmt::format(
            ".version 8.0\n.target sm_75\n.address_size 64\n"
            ".visible .entry k(.param .u64 at)\n{{\n"
            ".reg .pred %p;\n.reg .b32 %i, %t, %x, %v;\n.reg .b64 %at;\n"
            ".shared .align 64 .b8 bytes[64];\n"
            "ld.param.u64 %at, [at];\nld.volatile.global.u32 %v, [%at];\n" // checked precisely
            "mov.u32 %x, %tid.x;\nmov.u32 %t, bytes;\nadd.u32 %t, %t, %x;\n"
            "st.shared.u8 [%t], %x;\nbar.sync 0;\nmov.u32 %i, 0;\n"
            // All lanes read the first `reads` bytes, one by one; then each reads its own.
            "again: setp.lt.u32 %p, %i, {};\nselp.u32 %t, %i, %x, %p;\n"
            "mov.u32 %v, bytes;\nadd.u32 %t, %t, %v;\nld.shared.u8 %v, [%t];\n"
            "add.u32 %i, %i, 1;\n@%p bra again;\n"
            "bar.sync 0;\nst.shared.u8 [%t], %v;\nret;\n}}\n",
            reads);
    };
    for (const int reads : {1, 11, 12, 13, 32}) {
        Options options;
        options.checks = Checks::all();
        Machine machine = Machine::from_text(text(reads), options);
        const auto at = machine.buffer(std::vector<int>{0});
        EXPECT_EQ(machine.fault("k", {}, *at).message, "") << reads;
    }
}

// A single warp: lane 0 stores, all lanes wait at an mbarrier, then all read.
std::string at_barrier_object(bool waits)
{
    return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %lane, %value;
    .reg .b64 %out, %state;
    .reg .pred %is_0, %done;
    .shared .align 8 .b64 object;
    .shared .align 4 .b32 cell;
    ld.param.u64 %out, [out];
    mov.u32 %lane, %tid.x;
    setp.eq.u32 %is_0, %lane, 0;
    @%is_0 mbarrier.init.shared.b64 [object], 32;
    bar.warp.sync -1;
    @%is_0 st.shared.u32 [cell], 7;
    mbarrier.arrive.shared.b64 %state, [object];
AGAIN:
    {}
    ld.shared.u32 %value, [cell];
    mad.wide.u32 %out, %lane, 4, %out;
    st.global.u32 [%out], %value;
    ret;
}}
)",
                       waits ? "mbarrier.test_wait.shared.b64 %done, [object], %state;\n"
                               "@!%done bra AGAIN;"
                             : "");
}

Options checked()
{
    Options options;
    options.checks = Checks::all();
    return options;
}

std::string kind_of(const std::string& ptx, const Machine::Shape& shape, std::size_t words)
{
    auto machine = Machine::from_text(ptx, checked());
    const auto out = machine.buffer(std::vector<int>(words));
    return machine.fault("k", shape, *out).kind;
}

TEST(Races, BarrierObjectOrdersLanesOfOneWarp)
{
    const Machine::Shape warp{{1, 1, 1}, {32, 1, 1}, 0};
    EXPECT_EQ(kind_of(at_barrier_object(true), warp, 32), "none");
    EXPECT_EQ(kind_of(at_barrier_object(false), warp, 32), "race");
}

// Every thread stores, then executes a fence. After the barrier, one thread per block increments a
// counter of finished blocks; the last block reads all stored values.
std::string last_block(std::string_view fence)
{
    return fmt::format(R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 ticket;
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %i, %n, %t, %value, %blocks;
    .reg .b64 %out, %at, %ticket;
    .reg .pred %is_0, %last;
    .shared .align 4 .b32 count;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mov.u32 %n, %ntid.x;
    mov.u32 %i, %ctaid.x;
    mov.u32 %blocks, %nctaid.x;
    mad.lo.u32 %i, %i, %n, %t;
    mad.wide.u32 %at, %i, 4, %out;
    st.global.u32 [%at], %i;
    {0}
    bar.sync 0;
    setp.eq.u32 %is_0, %t, 0;
    mov.u64 %ticket, ticket;
    @%is_0 atom.global.add.u32 %value, [%ticket], 1;
    @%is_0 st.shared.u32 [count], %value;
    bar.sync 0;
    ld.shared.u32 %value, [count];
    sub.u32 %blocks, %blocks, 1;
    setp.eq.u32 %last, %value, %blocks;
    @!%last bra END;
    fence.sc.gpu;
    mad.wide.u32 %at, %t, 4, %out;
    ld.global.u32 %value, [%at];
END:
    ret;
}}
)",
                       fence);
}

TEST(Races, FencesOfAllThreadsReachReadersOfTheCount)
{
    const Machine::Shape blocks{{4, 1, 1}, {64, 1, 1}, 0};
    EXPECT_EQ(kind_of(last_block("membar.gl;"), blocks, 256), "none");
    EXPECT_EQ(kind_of(last_block("fence.sc.gpu;"), blocks, 256), "none");
    EXPECT_EQ(kind_of(last_block(""), blocks, 256), "race");
    EXPECT_EQ(kind_of(last_block("fence.acq_rel.gpu;"), blocks, 256), "race");
    EXPECT_EQ(kind_of(last_block("membar.cta;"), blocks, 256), "race");
}

// Each half of a warp updates a cell, synchronises only its own lanes, and reads the cell: nothing
// orders the two halves.
TEST(Races, HalvesSynchronisedSeparatelyRace)
{
    const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %lane, %mask, %value, %bit;
    .reg .b64 %out;
    .reg .pred %odd;
    .shared .align 4 .b32 cell;
    ld.param.u64 %out, [out];
    mov.u32 %lane, %tid.x;
    and.b32 %bit, %lane, 1;
    setp.eq.u32 %odd, %bit, 1;
    st.shared.u32 [cell], 99;
    bar.warp.sync -1;
    mad.wide.u32 %out, %lane, 4, %out;
    @%odd bra ODD;
    atom.shared.min.u32 %value, [cell], %lane;
    bar.warp.sync 0x55555555;
    ld.shared.u32 %value, [cell];
    st.global.u32 [%out], %value;
    ret;
ODD:
    SECOND
    ret;
}
)";
    const auto with = [&](const std::string& second) {
        std::string all = text;
        return all.replace(all.find("SECOND"), 6, second);
    };
    const Machine::Shape warp{{1, 1, 1}, {32, 1, 1}, 0};
    EXPECT_EQ(kind_of(with("atom.shared.min.u32 %value, [cell], %lane;\n"
                           "bar.warp.sync 0xaaaaaaaa;\nld.shared.u32 %value, [cell];\n"
                           "st.global.u32 [%out], %value;"),
                      warp, 32),
              "race");
    EXPECT_EQ(kind_of(with("st.global.u32 [%out], %lane;"), warp, 32), "none")
        << "one half alone, in order";
}

// Each thread copies a word by cp.async and reads its neighbour's after a barrier.
TEST(Races, CopiesMustBeAwaited)
{
    const auto with = [](std::string_view before, std::string_view after) {
        return fmt::format(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %t, %to, %from, %value;
    .reg .b64 %out, %at;
    .shared .align 4 .b32 tile[64];
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %at, %t, 4, %out;
    mov.u32 %to, tile;
    mad.lo.u32 %from, %t, 4, %to;
    cp.async.ca.shared.global [%from], [%at], 4;
    cp.async.commit_group;
    {}
    bar.sync 0;
    xor.b32 %t, %t, 63;
    mad.lo.u32 %from, %t, 4, %to;
    ld.shared.u32 %value, [%from];
    {}
    bar.sync 0;
    st.global.u32 [%at], %value;
    ret;
}}
)",
                           before, after);
    };
    const Machine::Shape block{{1, 1, 1}, {64, 1, 1}, 0};
    EXPECT_EQ(kind_of(with("cp.async.wait_group 0;", ""), block, 64), "none");
    EXPECT_EQ(kind_of(with("cp.async.wait_all;", ""), block, 64), "none");
    EXPECT_EQ(kind_of(with("", "cp.async.wait_group 0;"), block, 64), "race");
    EXPECT_EQ(kind_of(with("cp.async.wait_group 1;", ""), block, 64), "race");
}

// A race names two different threads, even if all lanes of a warp access the same cell.
TEST(Races, NamesTwoThreads)
{
    auto machine = Machine::from_text(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %lane, %value;
    .reg .b64 %out;
    .shared .align 4 .b32 cells[64];
    .reg .b32 %at;
    .reg .pred %second;
    ld.param.u64 %out, [out];
    mov.u32 %lane, %tid.x;
    mov.u32 %at, cells;
    mad.lo.u32 %at, %lane, 4, %at;
    st.shared.u32 [%at], %lane;
    bar.sync 0;
    setp.ge.u32 %second, %lane, 32;
    @%second bra END;
    ld.shared.u32 %value, [cells];
    st.shared.u32 [%at], %value;
END:
    ret;
}
)",
                                      checked());
    const auto out = machine.buffer(std::vector<int>(64));
    const trace::Fault fault = machine.fault("k", {{1, 1, 1}, {64, 1, 1}, 0}, *out);
    EXPECT_EQ(fault.kind, "race");
    EXPECT_NE(fault.message.find("thread (0, 0, 0)"), std::string::npos) << fault.message;
    EXPECT_EQ(fault.message.find("thread (0, 0, 0)"), fault.message.rfind("thread (0, 0, 0)"))
        << fault.message;
    EXPECT_NE(fault.message.find("__syncthreads()"), std::string::npos) << fault.message;
}

} // namespace
} // namespace lanescope::simt
