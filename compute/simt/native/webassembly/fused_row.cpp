// Creates a module with one function on first use: if the program itself contained the instruction,
// browsers that lack it would refuse to load the program.
#include "compute/simt/native/webassembly/fused_row.h"

#ifdef __wasm__

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "compute/simt/native/webassembly/wasm_code.h"

namespace lanescope::simt {
namespace {

using wasm::Binary;
using wasm::Bytes;
using wasm::constant;
constexpr int aligned = 4; // log2 of the alignment (16 bytes)

// A vector instruction.
Binary vector(wasm::Vector instruction)
{
    Binary code;
    return (code << Bytes{wasm::vector}).number(instruction);
}

// Parameters and locals of the function.
enum Local { operands, active, row_d, row_a, row_b, row_c, result };

Binary load(Local row, std::size_t place)
{
    Binary code;
    return (code << Bytes{wasm::local_get, row} << vector(wasm::v128_load) << Bytes{aligned})
        .number(place);
}

// Computes four lanes: the active ones, or all.
Binary four_lanes(rows::Signs signs, unsigned first, bool masked)
{
    constexpr std::uint32_t nan = 0x7fffffff; // the NaN that f32 arithmetic produces
    const std::size_t place = std::size_t{4} * first;
    Binary code;
    code << Bytes{wasm::local_get, row_d} << load(row_a, place);
    if (signs == rows::Signs::product_negated) code << vector(wasm::f32x4_neg);
    code << load(row_b, place) << load(row_c, place);
    if (signs == rows::Signs::addend_negated) code << vector(wasm::f32x4_neg);
    code << vector(wasm::f32x4_relaxed_madd) << Bytes{wasm::local_tee, result}
         << constant({nan, nan, nan, nan})
         << Bytes{wasm::local_get, result, wasm::local_get, result} << vector(wasm::f32x4_eq)
         << vector(wasm::v128_bitselect);
    if (masked) {
        const std::uint32_t bit = 1u << first;
        const Binary bits = constant({bit, bit << 1, bit << 2, bit << 3});
        code << load(row_d, place) << Bytes{wasm::local_get, active} << vector(wasm::i32x4_splat)
             << bits << vector(wasm::v128_and) << bits << vector(wasm::i32x4_eq)
             << vector(wasm::v128_bitselect);
    }
    return (code << vector(wasm::v128_store) << Bytes{aligned}).number(place);
}

Binary function(rows::Signs signs)
{
    Binary all, some, code;
    for (unsigned lane = 0; lane < warp_lanes; lane += 4) {
        all << four_lanes(signs, lane, false);
        some << four_lanes(signs, lane, true);
    }
    code << Bytes{2, 4, wasm::i32, 1, wasm::v128}; // locals
    for (const auto& [row, at] : {std::pair<Local, std::size_t>{row_d, offsetof(RowOperands, d)},
                                  {row_a, offsetof(RowOperands, a)},
                                  {row_b, offsetof(RowOperands, b)},
                                  {row_c, offsetof(RowOperands, c)}})
        (code << Bytes{wasm::local_get, operands, wasm::i32_load, 2}).number(at)
            << Bytes{wasm::local_set, row};
    code << Bytes{wasm::local_get, active,    wasm::i32_const, 0x7f /* -1 */,
                  wasm::i32_eq,    wasm::if_, wasm::nothing}
         << all << Bytes{wasm::else_} << some << Bytes{wasm::end, wasm::end};
    return code;
}

RowFunction make(rows::Signs signs)
{
    Binary module, functions;
    functions << Bytes{1};
    functions.counted(function(signs));
    module << Bytes{0, 'a', 's', 'm', 1, 0, 0, 0};
    module.section(1, Binary() << Bytes{1, 0x60, 2, wasm::i32, wasm::i32, 0})
        .section(2, wasm::imports())
        .section(3, Binary() << Bytes{1, 0})
        .section(7, Binary() << Bytes{1, 1, 'f', 0, 0})
        .section(10, functions);
    // A function pointer is an index in the table.
    return reinterpret_cast<RowFunction>(wasm::add_to_table(module.bytes()));
}

// Returns true if both give the same bits, for random operands and for sums in which the rounding
// error of the product matters.
bool agree(RowFunction made, RowFunction exact)
{
    struct alignas(64) Row {
        std::array<std::uint32_t, warp_lanes> words{};
    };
    std::uint64_t state = 1;
    const auto next = [&state] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(state >> 32);
    };
    Row a, b, c, fused_result, exact_result;
    for (int round = 0; round < 64; ++round) {
        for (std::size_t i = 0; i < warp_lanes; ++i) {
            a.words[i] = next();
            b.words[i] = next();
            c.words[i] = next();
            fused_result.words[i] = exact_result.words[i] = next();
            if (round % 2 == 0) continue;
            const auto left = std::bit_cast<float>(a.words[i]),
                       right = std::bit_cast<float>(b.words[i]);
            c.words[i] =
                std::bit_cast<std::uint32_t>(round % 4 == 1 ? left * right : -(left * right));
        }
        const std::uint32_t lanes = round % 3 == 0 ? next() : full_mask;
        const auto run = [&](RowFunction row, Row& d) {
            row({d.words.data(), a.words.data(), b.words.data(), c.words.data()}, lanes);
        };
        run(made, fused_result);
        run(exact, exact_result);
        if (fused_result.words != exact_result.words) return false;
    }
    return true;
}

} // namespace

namespace {

bool instruction_is_exact = false;

}

RowFunction fused_row(rows::Signs signs, RowFunction exact)
{
    static std::array<RowFunction, 3> known{};
    RowFunction& row = known[static_cast<std::size_t>(signs)];
    if (row == nullptr) {
        const RowFunction made = make(signs);
        const bool is_exact = made != nullptr && agree(made, exact);
        if (signs == rows::Signs::plain) instruction_is_exact = is_exact;
        row = is_exact ? made : exact;
    }
    return row;
}

bool has_fused_row()
{
    return instruction_is_exact;
}

} // namespace lanescope::simt

#endif
