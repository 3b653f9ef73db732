// Tensor maps: where boxes lie in memory, and copies through them.
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "compute/simt/operations/memory/tensor_map.h"
#include "compute/trace/trace.h"
#include "tests/unit/simt/machine.h"

namespace lanescope::simt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// 10 columns and 5 rows of f32, with 48 bytes from row to row; boxes of 8×4.
TensorMap small_map(Address address = 0x1000)
{
    TensorMap map;
    map.address = address;
    map.type = TensorType::f32;
    map.rank = 2;
    map.sizes = {10, 5, 1, 1, 1};
    map.strides[1] = 48;
    map.box = {8, 4, 1, 1, 1};
    return map;
}

// "1000+32>0": 32 bytes from 0x1000 to 0; "-32>8": filled.
std::string text(const std::vector<BulkPiece>& pieces)
{
    std::string all;
    for (const BulkPiece& piece : pieces)
        all += piece.filled ? fmt::format("-{}>{} ", piece.bytes, piece.shared)
                            : fmt::format("{:x}+{}>{} ", piece.global, piece.bytes, piece.shared);
    return all;
}

TEST(TensorMaps, BoxInsideTensor)
{
    EXPECT_EQ(text(pieces_of_box(small_map(), {1, 1}, 128)),
              "1034+32>128 1064+32>160 1094+32>192 10c4+32>224 ");
    EXPECT_EQ(small_map().box_bytes(), 128u);
    TensorMap whole = small_map();
    whole.strides[1] = 32;
    whole.sizes[0] = 8;
    EXPECT_EQ(text(pieces_of_box(whole, {0, 0}, 0)), "1000+128>0 "); // rows are adjacent
}

TEST(TensorMaps, BoxPartlyOutsideTensor)
{
    EXPECT_EQ(text(pieces_of_box(small_map(), {-3, -2}, 0)),
              "-76>0 1000+20>76 -12>96 1030+20>108 ");
    EXPECT_EQ(text(pieces_of_box(small_map(), {6, 3}, 0)), "10a8+16>0 -16>16 10d8+16>32 -80>48 ");
    EXPECT_EQ(text(pieces_of_box(small_map(), {2147483647, -2147483647 - 1}, 0)), "-128>0 ");
}

TEST(TensorMaps, ElementStrides)
{
    TensorMap map = small_map();
    map.box = {8, 5, 1, 1, 1};
    map.steps = {7, 2, 1, 1, 1}; // the first is ignored
    EXPECT_EQ(map.box_bytes(), 96u);
    EXPECT_EQ(text(pieces_of_box(map, {0, 1}, 0)), "1030+32>0 1090+32>32 -32>64 ");
}

TEST(TensorMaps, MoreThanTwoDimensions)
{
    TensorMap map;
    map.address = 0x1000;
    map.type = TensorType::f16;
    map.rank = 5;
    map.sizes = {8, 2, 2, 2, 2};
    map.strides = {0, 16, 32, 64, 128};
    map.box = {8, 1, 2, 1, 2};
    EXPECT_EQ(text(pieces_of_box(map, {0, 1, 0, 1, 0}, 0)),
              "1050+16>0 1070+16>16 10d0+16>32 10f0+16>48 ");
    EXPECT_EQ(text(pieces_of_box(map, {0, 1, 1, 1, 1}, 0)), "10f0+16>0 -48>16 ");
    map.rank = 1;
    EXPECT_EQ(text(pieces_of_box(map, {4}, 0)), "1008+8>0 -8>8 ");
}

TEST(TensorMaps, Swizzles)
{
    // Rows of 128 bytes: chunk c of row r is at c ^ (r mod 8).
    for (std::uint32_t row = 0; row < 16; ++row)
        for (std::uint32_t chunk = 0; chunk < 8; ++chunk)
            EXPECT_EQ(swizzled(TensorSwizzle::of_128, 128 * row + 16 * chunk),
                      128 * row + 16 * (chunk ^ row % 8));
    // With rows of 64 and 32 bytes, the pattern changes every 128 bytes.
    for (std::uint32_t row = 0; row < 16; ++row)
        for (std::uint32_t chunk = 0; chunk < 4; ++chunk)
            EXPECT_EQ(swizzled(TensorSwizzle::of_64, 64 * row + 16 * chunk),
                      64 * row + 16 * (chunk ^ row / 2 % 4));
    for (std::uint32_t row = 0; row < 16; ++row)
        for (std::uint32_t chunk = 0; chunk < 2; ++chunk)
            EXPECT_EQ(swizzled(TensorSwizzle::of_32, 32 * row + 16 * chunk),
                      32 * row + 16 * (chunk ^ row / 4 % 2));
    TensorMap map = small_map();
    map.swizzle = TensorSwizzle::of_32;
    map.box = {8, 5, 1, 1, 1};
    EXPECT_EQ(text(pieces_of_box(map, {1, 0}, 0)),
              "1004+32>0 1034+32>32 1064+32>64 1094+32>96 10c4+16>144 10d4+16>128 ");
}

TEST(TensorMaps, SurviveEncoding)
{
    TensorMap map = small_map(0x700000000010);
    map.swizzle = TensorSwizzle::of_32;
    map.fills_nan = true;
    map.sizes[1] = std::uint64_t{1} << 32;
    std::array<std::byte, tensor_map_bytes> bytes;
    encode(map, bytes);
    const auto again = decode_tensor_map(bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->address, map.address);
    EXPECT_EQ(again->sizes, map.sizes);
    EXPECT_EQ(again->strides, map.strides);
    EXPECT_EQ(again->box, map.box);
    EXPECT_EQ(again->steps, map.steps);
    EXPECT_EQ(again->fill(), 0x7fffffffu);
    EXPECT_EQ(again->swizzle, map.swizzle);
    bytes[0] ^= std::byte{1};
    EXPECT_FALSE(decode_tensor_map(bytes));
    bytes.fill(std::byte{0});
    EXPECT_FALSE(decode_tensor_map(bytes));
}

TEST(TensorMaps, RejectInvalidParameters)
{
    const auto problem = [](auto change) {
        TensorMap map = small_map();
        change(map);
        return problem_of(map);
    };
    EXPECT_EQ(problem([](TensorMap&) {}), "");
    EXPECT_THAT(problem([](TensorMap& map) { map.rank = 6; }), HasSubstr("rank"));
    EXPECT_THAT(problem([](TensorMap& map) { map.address = 0x1008; }), HasSubstr("address"));
    EXPECT_THAT(problem([](TensorMap& map) { map.sizes[1] = 0; }), HasSubstr("size 1"));
    EXPECT_THAT(problem([](TensorMap& map) { map.strides[1] = 40; }), HasSubstr("stride 1"));
    EXPECT_THAT(problem([](TensorMap& map) { map.box[1] = 257; }), HasSubstr("box is 257"));
    EXPECT_THAT(problem([](TensorMap& map) { map.box[0] = 3; }), HasSubstr("has 12 bytes"));
    EXPECT_THAT(problem([](TensorMap& map) { map.steps[1] = 9; }), HasSubstr("element stride 1"));
    EXPECT_THAT(problem([](TensorMap& map) {
                    map.type = TensorType::u32;
                    map.fills_nan = true;
                }),
                HasSubstr("NaN"));
    EXPECT_THAT(problem([](TensorMap& map) {
                    map.box[0] = 16;
                    map.swizzle = TensorSwizzle::of_32;
                }),
                HasSubstr("more than the swizzle's 32"));
}

// Loads a box at (x, y), then shows shared memory, or changes it and writes the box back.
constexpr std::string_view kernels = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry load(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, .param .u32 y,
                     .param .u32 bytes)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .reg .pred %p, %first;
    .shared .align 1024 .b8 buffer[2048];
    .shared .align 8 .b64 full;
    mov.b64 %rd1, map;
    cvta.param.u64 %rd2, %rd1;
    ld.param.u64 %rd3, [out];
    ld.param.u32 %r1, [x];
    ld.param.u32 %r2, [y];
    ld.param.u32 %r3, [bytes];
    mov.u32 %r4, %tid.x;
    setp.eq.u32 %first, %r4, 0;
    @%first prefetch.tensormap [%rd2];
    @%first mbarrier.init.shared.b64 [full], 1;
    @%first fence.mbarrier_init.release.cluster;
    bar.sync 0;
    @!%first bra waits;
    mbarrier.arrive.expect_tx.shared.b64 _, [full], %r3;
    cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd2, {%r1, %r2}];
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [buffer], [%rd2, {%r1, %r2}], [full];
waits:
    mbarrier.try_wait.parity.shared.b64 %p, [full], 0;
    @!%p bra waits;
    mov.u32 %r5, buffer;
    mad.lo.u32 %r5, %r4, 4, %r5;
    mul.lo.u32 %r7, %r4, 4;
    setp.ge.u32 %p, %r7, %r3;
    @%p ret;
    ld.shared.u32 %r6, [%r5];
    mad.wide.u32 %rd4, %r4, 4, %rd3;
    st.global.u32 [%rd4], %r6;
    ret;
}
.visible .entry store(.param .align 64 .b8 map[128], .param .u32 x, .param .u32 y)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .reg .pred %first;
    .shared .align 1024 .b8 buffer[2048];
    mov.b64 %rd1, map;
    cvta.param.u64 %rd2, %rd1;
    ld.param.u32 %r1, [x];
    ld.param.u32 %r2, [y];
    mov.u32 %r4, %tid.x;
    mov.u32 %r5, buffer;
    mad.lo.u32 %r5, %r4, 4, %r5;
    add.u32 %r6, %r4, 100;
    st.shared.u32 [%r5], %r6;
    fence.proxy.async;
    bar.sync 0;
    setp.eq.u32 %first, %r4, 0;
    @!%first ret;
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd2, {%r1, %r2}], [buffer];
    cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd2, {%r1, %r2}], [buffer];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
)";

// A warp makes a map of 16×4 words in shared memory, as Triton does, and loads a box of 8×4.
constexpr std::string_view maker = R"(.version 8.3
.target sm_90a
.address_size 64
.visible .entry make(.param .u64 out, .param .u64 in, .param .u64 scratch)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<9>;
    .reg .pred %p, %first;
    .shared .align 128 .b8 map[128];
    .shared .align 128 .b8 buffer[128];
    .shared .align 8 .b64 full;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [in];
    ld.param.u64 %rd3, [scratch];
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %first, %r1, 0;
    mov.u32 %r2, map;
    mad.lo.u32 %r3, %r1, 4, %r2;
    mov.b32 %r4, 0;
    st.shared.b32 [%r3], %r4;
    bar.warp.sync -1;
    cvt.u64.u32 %rd4, %r2;
    mov.b32 %r5, 8;
    mov.b64 %rd5, 64;
    @%first tensormap.replace.tile.global_address.shared::cta.b1024.b64 [ %rd4 + 0 ], %rd2;
    @%first tensormap.replace.tile.rank.shared::cta.b1024.b32 [%rd4], 1;
    @%first tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd4], 0, %r5;
    @%first tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%rd4], 1, 4;
    @%first tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd4], 0, 16;
    @%first tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%rd4], 1, 4;
    @%first tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%rd4], 0, %rd5;
    @%first tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%rd4], 0, 1;
    @%first tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%rd4], 1, 1;
    @%first tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%rd4], 2;
    @%first tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%rd4], 0;
    @%first tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%rd4], 0;
    @%first tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%rd4], 0;
    bar.warp.sync -1;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd3], [%rd4], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%rd3], 128;
    @%first mbarrier.init.shared.b64 [full], 1;
    @%first fence.mbarrier_init.release.cluster;
    bar.sync 0;
    @!%first bra waits;
    mov.b32 %r6, 5;
    mov.b32 %r7, 1;
    mbarrier.arrive.expect_tx.shared.b64 _, [full], 128;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [buffer], [%rd3, {%r6, %r7}], [full];
waits:
    mbarrier.try_wait.parity.shared.b64 %p, [full], 0;
    @!%p bra waits;
    mov.u32 %r5, buffer;
    mad.lo.u32 %r5, %r1, 4, %r5;
    ld.shared.u32 %r6, [%r5];
    mad.wide.u32 %rd6, %r1, 4, %rd1;
    st.global.u32 [%rd6], %r6;
    ret;
}
)";

std::array<std::byte, tensor_map_bytes> encoded(const TensorMap& map)
{
    std::array<std::byte, tensor_map_bytes> bytes;
    encode(map, bytes);
    return bytes;
}

Options checked()
{
    Options options;
    options.checks = Checks::all();
    options.patience = 1;
    return options;
}

std::vector<std::uint32_t> ramp(std::size_t count)
{
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 0u);
    return values;
}

TEST(TensorCopies, LoadABox)
{
    for (const bool swizzles : {false, true}) {
        Machine machine = Machine::from_text(kernels, checked());
        const auto in = machine.buffer(ramp(60)); // rows of 12
        const auto out = machine.buffer(std::vector<std::uint32_t>(64, 7));
        TensorMap map = small_map(in->address());
        map.fills_nan = true;
        if (swizzles) map.swizzle = TensorSwizzle::of_32;
        machine.run("load", {{1, 1, 1}, {64, 1, 1}}, encoded(map), *out, 6, 1, 128u);
        const auto values = machine.values<std::uint32_t>(*out);
        for (std::uint32_t i = 0; i < 32; ++i) {
            const std::uint32_t x = 6 + i % 8, y = 1 + i / 8;
            const std::uint32_t expected = x < 10 ? 12 * y + x : 0x7fffffffu;
            EXPECT_EQ(values[swizzles ? (i ^ (i / 32 << 2)) : i], expected) << i;
        }
        EXPECT_EQ(values[32], 7u);
    }
}

TEST(TensorCopies, StoreABox)
{
    Machine machine = Machine::from_text(kernels, checked());
    const auto data = machine.buffer(std::vector<std::uint32_t>(60, 7));
    TensorMap map = small_map(data->address());
    map.type = TensorType::u32;
    machine.run("store", {{1, 1, 1}, {64, 1, 1}}, encoded(map), -2, 3);
    const auto values = machine.values<std::uint32_t>(*data);
    for (std::uint32_t y = 0; y < 5; ++y)
        for (std::uint32_t x = 0; x < 12; ++x) {
            const bool inside = y >= 3 && x < 6;
            EXPECT_EQ(values[12 * y + x], inside ? 2 * (100 + 8 * (y - 3) + x + 2) : 7u)
                << x << " " << y;
        }
}

TEST(TensorCopies, MapMadeByTheKernel)
{
    Machine machine = Machine::from_text(maker, checked());
    const auto in = machine.buffer(ramp(64));
    const auto out = machine.buffer(std::vector<std::uint32_t>(32));
    const auto scratch = machine.buffer(std::vector<std::uint32_t>(32));
    machine.run("make", {{1, 1, 1}, {32, 1, 1}}, *out, *in, *scratch);
    const auto values = machine.values<std::uint32_t>(*out);
    for (std::uint32_t i = 0; i < 32; ++i) {
        const std::uint32_t x = 5 + i % 8, y = 1 + i / 8;
        EXPECT_EQ(values[i], y < 4 ? 16 * y + x : 0u) << i;
    }
    std::array<std::byte, tensor_map_bytes> map{};
    EXPECT_TRUE(replace_field(map, MapField::type, 0, 10));
    EXPECT_FALSE(replace_field(map, MapField::type, 0, 13)); // packed
    EXPECT_FALSE(replace_field(map, MapField::interleave, 0, 1));
    EXPECT_FALSE(replace_field(map, MapField::swizzle, 0, 4));
}

TEST(TensorCopies, AreCounted)
{
    Machine machine = Machine::from_text(kernels);
    const auto in = machine.buffer(ramp(80));
    const auto out = machine.buffer(std::vector<std::uint32_t>(64));
    TensorMap map = small_map(in->address());
    map.strides[1] = 64;
    trace::Trace trace;
    machine.run_traced(&trace, "load", {{1, 1, 1}, {64, 1, 1}}, encoded(map), *out, 0, 2, 128u);
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
        if (trace.sites[i].op != trace::Op::load || trace.sites[i].space != trace::Space::global)
            continue;
        EXPECT_EQ(trace.counts[i].requests, 1u);
        EXPECT_EQ(trace.counts[i].sectors, 3u); // three rows of 32 bytes are inside
    }
}

// Through the interface that labs use: a packed buffer and a box.
TEST(TensorMaps, DeviceMakesThoseOfTheDriver)
{
    Machine machine = Machine::from_text(kernels);
    const auto in = machine.buffer(ramp(64 * 16));
    device::TensorBox box{.address = in->address(),
                          .element_bytes = 4,
                          .sizes = {64, 16},
                          .extents = {32, 8},
                          .swizzle_bytes = 128};
    const device::TensorMapBytes bytes = device::tensor_map_on(machine.device(), box);
    const auto map = decode_tensor_map(std::span<const std::byte, tensor_map_bytes>(bytes));
    ASSERT_TRUE(map.has_value());
    EXPECT_EQ(map->address, in->address());
    EXPECT_EQ(map->rank, 2);
    EXPECT_EQ(map->sizes[0], 64u);
    EXPECT_EQ(map->sizes[1], 16u);
    EXPECT_EQ(map->strides[1], 256u);
    EXPECT_EQ(map->box_bytes(), 1024u);
    EXPECT_EQ(map->swizzle, TensorSwizzle::of_128);

    const auto refusal = [&](const device::TensorBox& of) -> std::string {
        try {
            device::tensor_map_on(machine.device(), of);
        } catch (const device::LaunchError& error) {
            return error.what();
        }
        return {};
    };
    const auto changed = [&](const auto& change) {
        device::TensorBox other = box;
        change(other);
        return refusal(other);
    };
    EXPECT_EQ(refusal(box), "");
    EXPECT_THAT(changed([](auto& one) { one.extents = {32}; }), HasSubstr("2 sizes and 1 extents"));
    EXPECT_THAT(changed([](auto& one) { one.element_bytes = 3; }),
                HasSubstr("elements of 3 bytes"));
    EXPECT_THAT(changed([](auto& one) { one.swizzle_bytes = 48; }), HasSubstr("within 48 bytes"));
    EXPECT_THAT(changed([](auto& one) {
                    one.extents = {64, 8};
                }),
                HasSubstr("256 bytes, more than the swizzle's 128"));
    EXPECT_THAT(changed([](auto& one) { one.sizes = {63, 16}; }), HasSubstr("multiple of 16"));
}

TEST(TensorCopies, MisuseIsReported)
{
    Machine machine = Machine::from_text(kernels, checked());
    const auto in = machine.buffer(ramp(60));
    const auto out = machine.buffer(std::vector<std::uint32_t>(64));
    const Machine::Shape shape{{1, 1, 1}, {64, 1, 1}};
    const std::array<std::byte, tensor_map_bytes> none{};
    const auto message = [&](const auto& map, unsigned bytes) {
        return machine.fault("load", shape, map, *out, 0, 0, bytes).message;
    };
    EXPECT_THAT(message(none, 128), HasSubstr("where there is none"));
    TensorMap map = small_map(in->address());
    EXPECT_EQ(message(encoded(map), 128), "");
    EXPECT_THAT(message(encoded(map), 112), HasSubstr("expects 112 bytes and 128 have arrived"));
    map.rank = 1;
    EXPECT_THAT(message(encoded(map), 32), HasSubstr("of 2 dimensions through a tensor map of 1"));
    map.rank = 2;
    map.sizes[1] = 6;
    EXPECT_THAT(machine.fault("load", shape, encoded(map), *out, 0, 3, 128u).message,
                HasSubstr("reads 32 bytes of global memory"));
    map.sizes[1] = 5;
    map.box[0] = 256;
    map.box[1] = 256;
    EXPECT_THAT(message(encoded(map), 128), HasSubstr("writes 262144 bytes of shared memory"));
}

} // namespace
} // namespace lanescope::simt
