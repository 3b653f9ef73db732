// mma, wmma, ldmatrix, stmatrix and movmatrix: warp-wide instructions on matrices that are
// distributed over the lanes' registers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "compute/simt/checks/faults/faults.h"
#include "compute/simt/operations/cross_lane.h"
#include "compute/simt/operations/handlers.h"
#include "compute/simt/operations/lanes/half.h"
#include "compute/simt/operations/matrix/products.h"
#include "compute/simt/operations/matrix/sparse.h"
#include "compute/simt/operations/memory/addressing.h"

namespace lanescope::simt {

namespace {

constexpr int max_rows = 32; // also the maximum number of columns of an accumulator

// Bits of an element in a lane's registers.
template <class Word>
Word element_at(const Executor& x, const std::vector<RowRef>& rows, int bits, int lane, int index)
{
    const int at = index * bits;
    constexpr int word_bits = 8 * static_cast<int>(sizeof(Word));
    const Word word = x.row<const Word>(rows[static_cast<std::size_t>(at / word_bits)])[lane];
    if (bits == word_bits) return word;
    return word >> (at % word_bits) & ((Word{1} << bits) - 1);
}

template <class Word>
void set_element(const Executor& x, const std::vector<RowRef>& rows, int bits, int lane, int index,
                 Word value)
{
    const int at = index * bits;
    constexpr int word_bits = 8 * static_cast<int>(sizeof(Word));
    Word& word = x.row<Word>(rows[static_cast<std::size_t>(at / word_bits)])[lane];
    if (bits == word_bits) {
        word = value;
        return;
    }
    const Word field = ((Word{1} << bits) - 1) << (at % word_bits);
    word = (word & ~field) | (value << (at % word_bits) & field);
}

// A whole matrix, gathered from a fragment or to be scattered to one.
template <class Word>
struct Matrix {
    std::vector<Word> values;
    int columns = 0;

    Word& at(Fragment::Origin place)
    {
        return values[static_cast<std::size_t>(place.row * columns + place.column)];
    }
};

template <class Word>
Matrix<Word> gather(const Executor& x, const Fragment& fragment, const std::vector<RowRef>& rows)
{
    Matrix<Word> matrix;
    matrix.columns = fragment.columns;
    matrix.values.resize(static_cast<std::size_t>(fragment.rows * fragment.columns));
    const int bits = element_bits(fragment.element);
    for (int lane = 0; lane < warp_lanes; ++lane)
        for (int i = 0; i < fragment.elements(); ++i)
            matrix.at(fragment.place(lane, i)) = element_at<Word>(x, rows, bits, lane, i);
    return matrix;
}

template <class Word>
void scatter(const Executor& x, const Fragment& fragment, const std::vector<RowRef>& rows,
             Matrix<Word>& matrix, std::uint32_t mask)
{
    const int bits = element_bits(fragment.element);
    for (; mask != 0; mask &= mask - 1) {
        const int lane = lowest_lane(mask);
        for (int i = 0; i < fragment.elements(); ++i)
            set_element<Word>(x, rows, bits, lane, i, matrix.at(fragment.place(lane, i)));
    }
}

// --- Products ---

// NaNs propagate as in fma: the second factor's first, then the addend's.
double chained(double a, double b, double c)
{
    const double result = std::fma(a, b, c);
    if (!std::isnan(result)) return result;
    const double given = std::isnan(b) ? b : std::isnan(c) ? c : a;
    constexpr std::uint64_t quiet = std::uint64_t{1} << 51;
    return std::isnan(given) ? std::bit_cast<double>(std::bit_cast<std::uint64_t>(given) | quiet)
                             : std::bit_cast<double>(std::uint64_t{0xfff8000000000000});
}

void multiply_doubles(const Executor& x, const MatrixWork& work, std::uint32_t mask)
{
    auto a = gather<std::uint64_t>(x, work.first, work.a);
    auto b = gather<std::uint64_t>(x, work.second, work.b);
    auto c = gather<std::uint64_t>(x, work.accumulator, work.c);
    const auto value = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
    for (int row = 0; row < work.shape.m; ++row)
        for (int column = 0; column < work.shape.n; ++column) {
            double sum = value(c.at({row, column}));
            for (int k = 0; k < work.shape.k; ++k)
                sum = chained(value(a.at({row, k})), value(b.at({k, column})), sum);
            c.at({row, column}) = std::bit_cast<std::uint64_t>(sum);
        }
    scatter(x, work.result, work.d, c, mask);
}

// The columns of b as the rows of a need them: for mma.sp, the elements that meet a stored one.
class Columns {
public:
    Columns(const Executor& x, const MatrixWork& work) : stored_(work.first.columns)
    {
        if (work.metadata != no_row) places_ = stored_places(x, work);
    }
    // The index k of a stored element.
    int k_of(int row, int stored) const
    {
        return places_ ? (*places_)[static_cast<std::size_t>(row)][static_cast<std::size_t>(stored)]
                       : stored;
    }
    const Factors& chosen(const Factors& column, int row)
    {
        if (!places_) return column;
        for (int i = 0; i < stored_; ++i) {
            const auto from = static_cast<std::size_t>(k_of(row, i));
            const auto to = static_cast<std::size_t>(i);
            chosen_.significand[to] = column.significand[from];
            chosen_.exponent[to] = column.exponent[from];
            chosen_.real[to] = column.real[from];
            chosen_.bits[to] = column.bits[from];
        }
        chosen_.finite = column.finite;
        return chosen_;
    }

private:
    int stored_;
    std::optional<StoredPlaces> places_;
    Factors chosen_;
};

void multiply_integers(const Executor& x, const MatrixWork& work, std::uint32_t mask)
{
    auto a = gather<std::uint32_t>(x, work.first, work.a);
    auto b = gather<std::uint32_t>(x, work.second, work.b);
    auto c = gather<std::uint32_t>(x, work.accumulator, work.c);
    const bool single_bits = work.first.element == MatrixElement::b1;
    const Columns columns(x, work);
    for (int row = 0; row < work.shape.m; ++row)
        for (int column = 0; column < work.shape.n; ++column) {
            std::int64_t sum = static_cast<std::int32_t>(c.at({row, column}));
            for (int k = 0; k < work.first.columns; ++k) {
                const std::uint32_t p = a.at({row, k});
                const std::uint32_t q = b.at({columns.k_of(row, k), column});
                if (single_bits)
                    sum += work.conjunction ? p & q : p ^ q;
                else
                    sum += integer_value(work.first.element, p) *
                           integer_value(work.second.element, q);
            }
            if (work.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
            c.at({row, column}) = static_cast<std::uint32_t>(sum);
        }
    scatter(x, work.result, work.d, c, mask);
}

// Exact f16 to f32, or f32 to nearest f16.
std::uint32_t converted(std::uint32_t bits, MatrixElement from, MatrixElement to)
{
    if (from == to) return bits;
    if (from == MatrixElement::f16) {
        const auto half = static_cast<std::uint16_t>(bits);
        return std::bit_cast<std::uint32_t>(widen_half(half));
    }
    return round_to_half(std::bit_cast<float>(bits));
}

// Calls use(row, column, bits) for every element of a fragment.
template <class Use>
void for_each_element(const Executor& x, const Fragment& fragment, const std::vector<RowRef>& from,
                      Use use)
{
    const int bits = element_bits(fragment.element);
    for (int lane = 0; lane < warp_lanes; ++lane)
        for (int i = 0; i < fragment.elements(); ++i) {
            const auto [row, column] = fragment.place(lane, i);
            use(row, column, element_at<std::uint32_t>(x, from, bits, lane, i));
        }
}

void multiply_floats(const Executor& x, const MatrixWork& work, std::uint32_t mask)
{
    const MatrixElement element = work.first.element;
    // Products are summed in the wider of the two accumulator types.
    const bool single =
        work.accumulator.element == MatrixElement::f32 || work.result.element == MatrixElement::f32;
    const MatrixElement inner = single ? MatrixElement::f32 : MatrixElement::f16;
    std::array<Factors, max_rows> rows;
    std::array<Factors, max_rows> columns;
    for_each_element(x, work.first, work.a, [&](int row, int k, std::uint32_t bits) {
        rows[static_cast<std::size_t>(row)].set(k, element, bits);
    });
    for_each_element(x, work.second, work.b, [&](int k, int column, std::uint32_t bits) {
        columns[static_cast<std::size_t>(column)].set(k, element, bits);
    });
    auto c = gather<std::uint32_t>(x, work.accumulator, work.c);
    Columns needed(x, work);
    for (int row = 0; row < work.shape.m; ++row)
        for (int column = 0; column < work.shape.n; ++column) {
            std::uint32_t& cell = c.at({row, column});
            std::uint32_t sum = converted(cell, work.accumulator.element, inner);
            const Factors& b = needed.chosen(columns[static_cast<std::size_t>(column)], row);
            for (int first = 0; first < work.first.columns; first += work.products)
                sum = sum_of_products(rows[static_cast<std::size_t>(row)], b, first, work.products,
                                      element, sum, inner);
            cell = converted(sum, inner, work.result.element);
        }
    scatter(x, work.result, work.d, c, mask);
}

// Sum of a product and its addend, rounded as by an add instruction.
std::uint32_t added(std::uint32_t a, std::uint32_t b, MatrixElement element)
{
    if (element == MatrixElement::f16)
        return round_to_half(widen_half(static_cast<std::uint16_t>(a)) +
                             widen_half(static_cast<std::uint16_t>(b)));
    const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
    return std::isnan(sum) ? 0x7fffffffu : std::bit_cast<std::uint32_t>(sum);
}

// FP8 products (e4m3, e5m2) as ptxas lowers them for sm_90 and sm_100, where mma has no FP8
// tensor-core instruction: elements are converted to f16, two products of half the depth are summed
// from zero, the first with the lower and the second with the upper two elements of each register
// of a, and c is added last. (sm_89 and sm_120 have a native instruction.)
void multiply_octets(const Executor& x, const MatrixWork& work, std::uint32_t mask)
{
    const MatrixElement inner = work.result.element;
    const int depth = work.first.columns; // stored elements of a row of a
    auto a = gather<std::uint32_t>(x, work.first, work.a);
    auto b = gather<std::uint32_t>(x, work.second, work.b);
    auto c = gather<std::uint32_t>(x, work.accumulator, work.c);
    const Columns columns(x, work);
    const auto set = [](Factors& factors, int index, MatrixElement element, std::uint32_t bits) {
        factors.set(index, MatrixElement::f16,
                    element == MatrixElement::e5m2 ? widen_e5m2(bits) : widen_e4m3(bits));
    };
    // The elements of a half, in order.
    const auto number = [](int half, int i) { return i / 2 * 4 + half * 2 + i % 2; };
    using Halves = std::array<Factors, 2>;
    const auto column_for = [&](int row, int column) {
        Halves factors;
        for (const int half : {0, 1})
            for (int i = 0; i < depth / 2; ++i)
                set(factors[static_cast<std::size_t>(half)], i, work.second.element,
                    b.at({columns.k_of(row, number(half, i)), column}));
        return factors;
    };
    std::vector<Halves> same; // columns that all rows share
    const bool sparse = work.metadata != no_row;
    for (int column = 0; column < work.shape.n && !sparse; ++column)
        same.push_back(column_for(0, column));
    for (int row = 0; row < work.shape.m; ++row) {
        Halves factors, own;
        for (const int half : {0, 1})
            for (int i = 0; i < depth / 2; ++i)
                set(factors[static_cast<std::size_t>(half)], i, work.first.element,
                    a.at({row, number(half, i)}));
        for (int column = 0; column < work.shape.n; ++column) {
            if (sparse) own = column_for(row, column);
            const Halves& needed = sparse ? own : same[static_cast<std::size_t>(column)];
            std::uint32_t sum = 0;
            for (const std::size_t half : {std::size_t{0}, std::size_t{1}})
                sum = sum_of_products(factors[half], needed[half], 0, depth / 2, MatrixElement::f16,
                                      sum, inner);
            std::uint32_t& cell = c.at({row, column});
            cell = added(sum, cell, inner);
        }
    }
    scatter(x, work.result, work.d, c, mask);
}

void multiply(Executor& x, const Instruction&, const MatrixWork& work, std::uint32_t mask)
{
    switch (work.result.element) {
    case MatrixElement::f64: multiply_doubles(x, work, mask); return;
    case MatrixElement::s32: multiply_integers(x, work, mask); return;
    default: break;
    }
    switch (work.first.element) {
    case MatrixElement::e4m3:
    case MatrixElement::e5m2: multiply_octets(x, work, mask); return;
    default: multiply_floats(x, work, mask); return;
    }
}

// --- Memory ---

// Calls use(host address, lane) for an access in which each lane has its own address.
template <class Use>
void reach_all(Executor& x, const Instruction& in, const Access& access, Addresses& at,
               std::uint32_t mask, Use use)
{
    for_each_space(
        x, in, access, at, mask, [&](ptx::Space space, const Addresses& lanes, std::uint32_t some) {
            if (access.op == trace::Op::store &&
                (space == ptx::Space::constant || space == ptx::Space::param))
                throw_read_only(x, in, access, space, lowest_lane(some),
                                lanes.lane[lowest_lane(some)]);
            const Reach found = reach(x, in, access, space, lanes, some);
            if (!x.observers.empty()) observe(x, in, access, space, lanes, some, found);
            for (std::uint32_t rest = some; rest != 0; rest &= rest - 1) {
                const int lane = lowest_lane(rest);
                use(reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(found.base) +
                                                 found.offsets[lane]),
                    lane);
            }
        });
}

// wmma.load and wmma.store: a lane's run of elements is one access if they are also adjacent in
// memory, otherwise one access per element.
template <bool Store>
void move_fragment(Executor& x, const Instruction& in, const MatrixWork& work, std::uint32_t mask)
{
    const Fragment& fragment = work.first;
    const int bits = element_bits(fragment.element);
    const int bytes = bits / 8; // 0: a run of elements fills a register
    const bool together = fragment.along_row != work.transposed;
    const int step = together ? fragment.run : 1;
    Access access = work.access;
    access.element_bytes = access.width_bytes = static_cast<std::uint8_t>(step * bits / 8);
    Addresses base;
    form_addresses(x, access, mask, base);
    const auto* strides = x.row<const std::uint32_t>(work.stride);
    const auto& registers = Store ? work.c : work.d;
    for (int i = 0; i < fragment.elements(); i += step) {
        alignas(64) std::array<std::uint64_t, warp_lanes> places{};
        for (int lane = 0; lane < warp_lanes; ++lane) {
            const auto [row, column] = fragment.place(lane, i);
            const std::uint64_t major = static_cast<std::uint64_t>(work.transposed ? column : row);
            const std::uint64_t minor = static_cast<std::uint64_t>(work.transposed ? row : column);
            places[static_cast<std::size_t>(lane)] =
                base.lane[static_cast<std::size_t>(lane)] +
                (major * strides[lane] + minor) * static_cast<std::uint64_t>(bits) / 8;
        }
        Addresses at;
        x.launch.addresses.from64(places.data(), 0, mask, access.width_bytes, at);
        reach_all(x, in, access, at, mask, [&](std::byte* memory, int lane) {
            if (bytes == 0) {
                const RowRef row = registers[static_cast<std::size_t>(i / step)];
                std::memcpy(&x.row<std::uint32_t>(row)[lane], memory, sizeof(std::uint32_t));
                return;
            }
            for (int part = 0; part < step; ++part) {
                std::byte* place = memory + part * bytes;
                if constexpr (Store) {
                    const auto value =
                        bits == 64 ? element_at<std::uint64_t>(x, registers, bits, lane, i + part)
                                   : element_at<std::uint32_t>(x, registers, bits, lane, i + part);
                    std::memcpy(place, &value, static_cast<std::size_t>(bytes));
                } else if (bits == 64) {
                    std::uint64_t value = 0;
                    std::memcpy(&value, place, 8);
                    set_element<std::uint64_t>(x, registers, bits, lane, i + part, value);
                } else {
                    std::uint32_t value = 0;
                    std::memcpy(&value, place, static_cast<std::size_t>(bytes));
                    const int filled = fragment.registers * (32 / bits);
                    for (int copy = i + part; copy < filled; copy += fragment.elements())
                        set_element<std::uint32_t>(x, registers, bits, lane, copy, value);
                }
            }
        });
    }
}

// ldmatrix and stmatrix: lanes 8i to 8i + 7 point to the 16-byte rows of matrix i.
template <bool Store>
void move_rows(Executor& x, const Instruction& in, const MatrixWork& work, std::uint32_t mask)
{
    constexpr std::size_t row_bytes = 16;
    std::array<std::array<std::uint16_t, 8>, warp_lanes> rows{};
    const auto place = [&](int lane, int part) {
        return work.transposed ? std::pair{(lane & 3) * 2 + part, lane >> 2}
                               : std::pair{lane >> 2, (lane & 3) * 2 + part};
    };
    const auto& registers = Store ? work.c : work.d;
    if constexpr (Store)
        for (int matrix = 0; matrix < work.matrices; ++matrix)
            for (int lane = 0; lane < warp_lanes; ++lane)
                for (int part = 0; part < 2; ++part) {
                    const auto [row, column] = place(lane, part);
                    rows[static_cast<std::size_t>(matrix * 8 + row)]
                        [static_cast<std::size_t>(column)] = static_cast<std::uint16_t>(
                            element_at<std::uint32_t>(x, registers, 16, lane, 2 * matrix + part));
                }
    const std::uint32_t pointing =
        mask & static_cast<std::uint32_t>((std::uint64_t{1} << (8 * work.matrices)) - 1);
    if (pointing != 0) {
        Addresses at;
        form_addresses(x, work.access, pointing, at);
        reach_all(x, in, work.access, at, pointing, [&](std::byte* memory, int lane) {
            auto* row = rows[static_cast<std::size_t>(lane)].data();
            if constexpr (Store)
                std::memcpy(memory, row, row_bytes);
            else
                std::memcpy(row, memory, row_bytes);
        });
    }
    if constexpr (!Store)
        for (int matrix = 0; matrix < work.matrices; ++matrix)
            for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1)
                for (int part = 0; part < 2; ++part) {
                    const int lane = lowest_lane(rest);
                    const auto [row, column] = place(lane, part);
                    set_element<std::uint32_t>(x, registers, 16, lane, 2 * matrix + part,
                                               rows[static_cast<std::size_t>(matrix * 8 + row)]
                                                   [static_cast<std::size_t>(column)]);
                }
}

// ldmatrix and stmatrix of 8-bit elements: each lane in turn points to a row of 16 elements. With 6
// or 4 bits in memory, the elements are adjacent from the row's first bit, and its rest is unused.
template <bool Store>
void move_octets(Executor& x, const Instruction& in, const MatrixWork& work, std::uint32_t mask)
{
    constexpr std::size_t row_bytes = 16;
    std::array<std::array<std::uint8_t, row_bytes>, warp_lanes> rows{};
    // The row, by the lane that points to it, and the column of byte `part` of a register.
    const auto place = [&](int lane, int number, int part) {
        const int group = lane >> 2, member = lane & 3;
        if (!work.transposed) return std::pair{8 * number + group, 4 * member + part};
        const int row =
            work.square ? number / 2 * 16 + member * 4 + number % 2 * 2 : number * 8 + member * 2;
        return std::pair{row + part % 2, group + part / 2 * 8};
    };
    const auto& registers = Store ? work.c : work.d;
    const auto for_bytes = [&](std::uint32_t lanes, const auto& use) {
        for (; lanes != 0; lanes &= lanes - 1)
            for (int i = 0; i < static_cast<int>(registers.size()); ++i)
                for (int part = 0; part < 4; ++part) {
                    const int lane = lowest_lane(lanes);
                    const auto [row, column] = place(lane, i, part);
                    use(lane, 4 * i + part,
                        rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]);
                }
    };
    if constexpr (Store)
        for_bytes(full_mask, [&](int lane, int index, std::uint8_t& byte) {
            byte =
                static_cast<std::uint8_t>(element_at<std::uint32_t>(x, registers, 8, lane, index));
        });
    const int address_lanes = work.matrices * (work.square ? 16 : 8);
    const std::uint32_t pointing =
        mask & static_cast<std::uint32_t>((std::uint64_t{1} << address_lanes) - 1);
    if (pointing != 0) {
        Addresses at;
        form_addresses(x, work.access, pointing, at);
        reach_all(x, in, work.access, at, pointing, [&](std::byte* memory, int lane) {
            auto& row = rows[static_cast<std::size_t>(lane)];
            if constexpr (Store) {
                std::memcpy(memory, row.data(), row_bytes);
                return;
            }
            const int bits = work.octet_bits;
            for (int i = 0; i < static_cast<int>(row_bytes); ++i) {
                const int first = i * bits / 8;
                std::uint16_t both = 0;
                std::memcpy(&both, memory + first, first + 1 < static_cast<int>(row_bytes) ? 2 : 1);
                row[static_cast<std::size_t>(i)] =
                    static_cast<std::uint8_t>(both >> i * bits % 8 & ((1 << bits) - 1));
            }
        });
    }
    if constexpr (!Store)
        for_bytes(mask, [&](int lane, int index, std::uint8_t byte) {
            set_element<std::uint32_t>(x, registers, 8, lane, index, byte);
        });
}

// movmatrix.trans, 8×8.
void transpose(Executor& x, const Instruction&, const MatrixWork& work, std::uint32_t mask)
{
    const auto matrix = gather<std::uint32_t>(x, work.first, work.a);
    Matrix<std::uint32_t> turned = matrix;
    for (int row = 0; row < 8; ++row)
        for (int column = 0; column < 8; ++column)
            turned.at({row, column}) = matrix.values[static_cast<std::size_t>(column * 8 + row)];
    scatter(x, work.first, work.d, turned, mask);
}

using Work = void (*)(Executor&, const Instruction&, const MatrixWork&, std::uint32_t);

template <Work work>
Flow act(Executor& x, const Instruction& in, std::uint32_t mask)
{
    if (must_wait(x, in, mask)) return Flow::reload;
    const auto index = static_cast<std::size_t>(x.function->operands[in.extra].values[0]);
    work(x, in, x.function->matrices[index], mask);
    return Flow::next;
}

} // namespace

Handlers matrix_handlers(MatrixAction action)
{
    switch (action) {
    case MatrixAction::multiply: return same<act<multiply>>();
    case MatrixAction::load: return same<act<move_fragment<false>>>();
    case MatrixAction::store: return same<act<move_fragment<true>>>();
    case MatrixAction::load_rows: return same<act<move_rows<false>>>();
    case MatrixAction::load_octets: return same<act<move_octets<false>>>();
    case MatrixAction::store_octets: return same<act<move_octets<true>>>();
    case MatrixAction::store_rows: return same<act<move_rows<true>>>();
    default: return same<act<transpose>>();
    }
}

} // namespace lanescope::simt
