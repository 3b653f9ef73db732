// Warnings about textures whose coordinates are of the other kind: texel indices where the texture
// takes coordinates from 0 to 1, or the reverse; or x in place of y. A single fetch proves nothing,
// since coordinates outside the image are clamped or wrapped; all fetches of one line in a launch
// together do.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "compute/simt/operations/images/images.h"
#include "compute/trace/trace.h"

namespace lanescope::simt {

struct Executor;
struct ImageAccess;
struct Instruction;

class TextureWarnings {
public:
    // Notes the coordinates that lanes of the running warp use.
    void fetched(const Executor& executor, const Instruction& instruction,
                 const ImageAccess& access, const TextureData& texture, std::uint32_t lanes);
    // Adds what another core has noted.
    void add(const TextureWarnings& other);
    // Adds the warnings, one per source line.
    void report_into(std::vector<trace::Fault>& faults) const;

private:
    struct Axis {
        float min = 0, max = 0;
        bool whole = true; // all coordinates are integers
        bool half = true;  // all are integers plus 1/2
    };
    // Fetches of one instruction from one texture.
    struct Fetches {
        const Instruction* instruction = nullptr;
        const TextureData* texture = nullptr;
        std::uint64_t block = 0; // the lowest
        trace::Fault fault{};    // of that block, without the figures
        int dimensions = 0;
        std::uint64_t count = 0;
        std::array<Axis, 3> axes{};
        std::vector<float> values{}; // some of the different ones along x, in ascending order
    };
    static constexpr std::size_t enough_values = 8;
    static void note(Axis& axis, float coordinate, bool is_first);
    static void note_value(std::vector<float>& values, float value);
    static bool has_texel_indices(const Fetches& fetches);
    static bool has_fractions(const Fetches& fetches);
    static bool has_swapped_axes(const Fetches& fetches);
    static const char* problem_of(const Fetches& fetches);

    std::vector<Fetches> fetches_;
};

} // namespace lanescope::simt
