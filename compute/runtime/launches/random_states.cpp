// States are recognised by their layout in curand_kernel.h, by which everything after the random
// words is zero at first. States that stay in registers are not seen.
#include "compute/runtime/launches/random_states.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "compute/ptx/text/lines.h"

namespace lanescope::runtime {

namespace {

constexpr std::string_view initialiser = "curand_init";

struct Layout {
    std::size_t bytes;       // of a state
    std::size_t words_bytes; // random words; the rest is zero
    std::size_t mixed_begin; // bytes that are never all zero
    std::size_t mixed_end;
};
constexpr std::array layouts{Layout{48, 24, 4, 24},   // curandStateXORWOW, curandStateMRG32k3a
                             Layout{64, 40, 16, 32}}; // curandStatePhilox4_32_10

bool is_zero(std::span<const std::byte> bytes)
{
    return std::ranges::all_of(bytes, [](std::byte one) { return one == std::byte{0}; });
}

// Equal states: how many there are, and the first two.
struct Equal {
    std::size_t states = 0, distinct = 0;
    std::size_t first = 0, second = 0;
};

// Empty if the bytes are no states, or all are different.
std::optional<Equal> equal_states(std::span<const std::byte> bytes, const Layout& layout)
{
    if (bytes.size() % layout.bytes != 0) return {};
    std::map<std::string_view, std::size_t> known; // the first state with these words
    Equal equal;
    for (std::size_t i = 0; i < bytes.size() / layout.bytes; ++i) {
        const auto state = bytes.subspan(i * layout.bytes, layout.bytes);
        if (is_zero(state)) continue; // no thread has set it
        const auto mixed = state.subspan(layout.mixed_begin, layout.mixed_end - layout.mixed_begin);
        if (!is_zero(state.subspan(layout.words_bytes)) || is_zero(mixed)) return {};
        const std::string_view words(reinterpret_cast<const char*>(state.data()),
                                     layout.words_bytes);
        const auto [place, is_new] = known.try_emplace(words, i);
        ++equal.states;
        if (is_new || equal.second != 0) continue;
        equal.first = place->second;
        equal.second = i;
    }
    equal.distinct = known.size();
    if (equal.distinct == equal.states) return {};
    return equal;
}

bool includes_curand(const ptx::Module& module)
{
    return std::ranges::any_of(
        module.files, [](const auto& file) { return file.second.ends_with("curand_kernel.h"); });
}

// The kernel's line that calls curand_init(); empty if it does not.
std::optional<ptx::SourceLine> call_of_initialiser(const ptx::Module& module,
                                                   const ptx::Function& kernel)
{
    for (const ptx::Instruction& in : kernel.instructions) {
        const bool calls = std::ranges::any_of(in.operands, [](const ptx::Operand& operand) {
            return operand.symbol.find(initialiser) != operand.symbol.npos;
        });
        const bool is_within =
            in.location >= 0 &&
            module.locations[static_cast<std::size_t>(in.location)].function.find(initialiser) !=
                std::string::npos;
        if (calls || is_within) return ptx::source_line(module, in);
    }
    return {};
}

} // namespace

void find_same_sequences(Machine& machine, const simt::Program& program, const trace::Trace& trace,
                         const LaunchRecord& record)
{
    if (!includes_curand(*program.module)) return;
    const auto line = call_of_initialiser(*program.module, *program.entry().source);
    if (!line) return;
    for (const trace::Touched& touched : trace.touched) {
        const Memory* const memory = machine.find(touched.allocation);
        if (memory == nullptr || !touched.written.any()) continue;
        const std::byte* const bytes =
            machine.bytes_of(reinterpret_cast<const void*>(memory->address), memory->bytes);
        std::optional<Equal> equal;
        for (const Layout& layout : layouts)
            if (!equal) equal = equal_states({bytes, memory->bytes}, layout);
        if (!equal) continue;
        Finding finding{.kind = "same_sequence"};
        finding.kernel = record.kernel;
        finding.file = line->file;
        finding.line = line->line;
        finding.launch = record.index;
        finding.site = record.site;
        finding.other_site = memory->site;
        finding.message = fmt::format(
            "Threads of kernel {} start the same random sequence: its {} states have {} different "
            "starts, and states {} and {} are equal. Give curand_init() another sequence number "
            "in each thread of the grid, such as blockIdx.x * blockDim.x + threadIdx.x.",
            record.kernel, equal->states, equal->distinct, equal->first, equal->second);
        machine.find(std::move(finding));
        return;
    }
}

} // namespace lanescope::runtime
