// Runs single row operations, which are named by their PTX mnemonics, on rows that a test fills.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "compute/simt/operations/rows/rows.h"

namespace lanescope::simt {

// Values of 32 lanes, up to 16 bytes each; a predicate is the first word, one bit per lane.
struct alignas(64) Row {
    std::array<std::byte, 512> bytes{};

    template <class T>
    T get(int lane) const
    {
        T value;
        std::memcpy(&value, bytes.data() + static_cast<std::size_t>(lane) * stride<T>(), sizeof(T));
        return value;
    }
    template <class T>
    void set(int lane, T value)
    {
        std::memcpy(bytes.data() + static_cast<std::size_t>(lane) * stride<T>(), &value, sizeof(T));
    }
    friend bool operator==(const Row&, const Row&) = default;

private:
    template <class T>
    static constexpr std::size_t stride()
    {
        return sizeof(T) < 4 ? 4 : sizeof(T);
    }
};

template <class T>
Row every_lane(T value)
{
    Row row;
    for (int lane = 0; lane < warp_lanes; ++lane) row.set(lane, value);
    return row;
}

// Parses a name such as "add.rn.f32", with `operands` registers as operands.
ptx::Instruction instruction(std::string_view words, int operands = 3);

// The instruction sets that this processor can run.
std::vector<Isa> runnable_sets();

struct Result {
    std::array<Row, 4> destinations;
    std::uint32_t carry = 0;

    friend bool operator==(const Result&, const Result&) = default;
};

// Runs an operation; `before` is the initial contents of the destinations.
Result run(const RowOperation& operation, const std::array<Row, 4>& sources, std::uint32_t active,
           const Row& before = {}, std::uint32_t carry = 0);

// Runs the operation's native code; empty if it has none. A full mask selects the code for whole
// warps. With `guarded`, only lanes whose guard is set take part.
std::optional<Result> run_native(const RowOperation& operation, Isa isa,
                                 const std::array<Row, 4>& sources, std::uint32_t active,
                                 const Row& before = {},
                                 std::optional<std::uint32_t> guard = std::nullopt);

// Runs an instruction of up to three sources on the best instruction set; returns its first result.
template <class D, class... Sources>
D result_of(std::string_view words, Sources... values)
{
    const auto operation = find_row_operation(instruction(words), best_isa());
    if (!operation) throw std::runtime_error("no row operation for " + std::string(words));
    std::array<Row, 4> sources{every_lane(values)...};
    return run(*operation, sources, full_mask).destinations[0].template get<D>(31);
}

} // namespace lanescope::simt
