// A module of one function is made when it is asked for the first time: the program itself would
// not start in browsers that lack the instruction, if it contained it.
#include "compute/simt/native/fused_row.h"

#ifdef __wasm__

#include <emscripten.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace lanescope::simt {
namespace {

// The module's function among those that pointers lead to; 0: the browser does not take the module.
EM_JS_DEPS(fused_row, "$wasmTable");
EM_JS(int, function_of_module, (const std::uint8_t* bytes, int count), {
    try {
        const module = new WebAssembly.Module(HEAPU8.slice(bytes, bytes + count));
        const instance = new WebAssembly.Instance(module, {m : {m : wasmMemory}});
        const place = wasmTable.grow(1);
        wasmTable.set(place, instance.exports.f);
        return place;
    } catch (error) {
        return 0;
    }
});

// WebAssembly's binary format, as far as it is needed here.
class Code {
public:
    Code& operator<<(std::initializer_list<int> bytes)
    {
        for (const int byte : bytes) bytes_.push_back(static_cast<std::uint8_t>(byte));
        return *this;
    }
    Code& operator<<(const Code& code)
    {
        bytes_.insert(bytes_.end(), code.bytes_.begin(), code.bytes_.end());
        return *this;
    }
    Code& number(std::size_t value)
    {
        for (; value >= 0x80; value >>= 7)
            bytes_.push_back(static_cast<std::uint8_t>(value | 0x80));
        bytes_.push_back(static_cast<std::uint8_t>(value));
        return *this;
    }
    Code& section(std::uint8_t id, const Code& content)
    {
        bytes_.push_back(id);
        return counted(content);
    }
    Code& counted(const Code& content) { return number(content.bytes_.size()) << content; }
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
    std::vector<std::uint8_t> bytes_;
};

using Bytes = std::initializer_list<int>;
constexpr int if_ = 0x04, else_ = 0x05, end = 0x0b, local_get = 0x20, local_set = 0x21,
              local_tee = 0x22, i32_load = 0x28, i32_const = 0x41, i32_eq = 0x46, i32 = 0x7f,
              v128 = 0x7b, nothing = 0x40, vector = 0xfd; // what begins these:
constexpr int v128_load = 0x00, v128_store = 0x0b, v128_const = 0x0c, i32x4_splat = 0x11,
              i32x4_eq = 0x37, f32x4_eq = 0x41, v128_and = 0x4e, v128_bitselect = 0x52;
constexpr Bytes negate{vector, 0xe1, 0x01};
constexpr Bytes multiply_add{vector, 0x85, 0x02}; // f32x4.relaxed_madd
constexpr int aligned = 4;                        // to 16 bytes

// Parameters and locals of the function.
enum Local { operands, active, row_d, row_a, row_b, row_c, result };

Code constant(const std::array<std::uint32_t, 4>& words)
{
    Code code;
    code << Bytes{vector, v128_const};
    for (const std::uint32_t word : words)
        for (int byte = 0; byte < 4; ++byte)
            code << Bytes{static_cast<int>(word >> (8 * byte) & 0xffu)};
    return code;
}

Code load(Local row, std::size_t place)
{
    Code code;
    return (code << Bytes{local_get, row, vector, v128_load, aligned}).number(place);
}

// Of four lanes the active ones, or all.
Code four_lanes(rows::Signs signs, unsigned first, bool masked)
{
    constexpr std::uint32_t nan = 0x7fffffff; // the one that f32 arithmetic gives
    const std::size_t place = std::size_t{4} * first;
    Code code;
    code << Bytes{local_get, row_d} << load(row_a, place);
    if (signs == rows::Signs::product_negated) code << negate;
    code << load(row_b, place) << load(row_c, place);
    if (signs == rows::Signs::addend_negated) code << negate;
    code << multiply_add << Bytes{local_tee, result} << constant({nan, nan, nan, nan})
         << Bytes{local_get, result, local_get, result, vector, f32x4_eq, vector, v128_bitselect};
    if (masked) {
        const std::uint32_t bit = 1u << first;
        const Code bits = constant({bit, bit << 1, bit << 2, bit << 3});
        code << load(row_d, place) << Bytes{local_get, active, vector, i32x4_splat} << bits
             << Bytes{vector, v128_and} << bits << Bytes{vector, i32x4_eq, vector, v128_bitselect};
    }
    return (code << Bytes{vector, v128_store, aligned}).number(place);
}

Code function(rows::Signs signs)
{
    Code all, some, code;
    for (unsigned lane = 0; lane < warp_lanes; lane += 4) {
        all << four_lanes(signs, lane, false);
        some << four_lanes(signs, lane, true);
    }
    code << Bytes{2, 4, i32, 1, v128}; // locals
    for (const auto& [row, at] : {std::pair<Local, std::size_t>{row_d, offsetof(RowOperands, d)},
                                  {row_a, offsetof(RowOperands, a)},
                                  {row_b, offsetof(RowOperands, b)},
                                  {row_c, offsetof(RowOperands, c)}})
        (code << Bytes{local_get, operands, i32_load, 2}).number(at) << Bytes{local_set, row};
    code << Bytes{local_get, active, i32_const, 0x7f /* -1 */, i32_eq, if_, nothing} << all
         << Bytes{else_} << some << Bytes{end, end};
    return code;
}

RowFunction make(rows::Signs signs)
{
    Code module, functions;
    functions << Bytes{1};
    functions.counted(function(signs));
    module << Bytes{0, 'a', 's', 'm', 1, 0, 0, 0};
    module.section(1, Code() << Bytes{1, 0x60, 2, i32, i32, 0})
        .section(2, Code() << Bytes{1, 1, 'm', 1, 'm', 2, 0, 0}) // a memory of any size
        .section(3, Code() << Bytes{1, 0})
        .section(7, Code() << Bytes{1, 1, 'f', 0, 0})
        .section(10, functions);
    const int place =
        function_of_module(module.bytes().data(), static_cast<int>(module.bytes().size()));
    return reinterpret_cast<RowFunction>(place); // a pointer to a function is its number
}

// Whether both give the same bits: of any numbers, and of those whose sum is what the product loses
// when it is rounded.
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
    Row a, b, c, of_made, of_exact;
    for (int round = 0; round < 64; ++round) {
        for (std::size_t i = 0; i < warp_lanes; ++i) {
            a.words[i] = next();
            b.words[i] = next();
            c.words[i] = next();
            of_made.words[i] = of_exact.words[i] = next();
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
        run(made, of_made);
        run(exact, of_exact);
        if (of_made.words != of_exact.words) return false;
    }
    return true;
}

} // namespace

RowFunction fused_row(rows::Signs signs, RowFunction exact)
{
    static std::array<RowFunction, 3> known{};
    RowFunction& row = known[static_cast<std::size_t>(signs)];
    if (row == nullptr) {
        const RowFunction made = make(signs);
        row = made != nullptr && agree(made, exact) ? made : exact;
    }
    return row;
}

} // namespace lanescope::simt

#endif
