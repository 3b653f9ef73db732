// Why a place in memory holds what it holds: the lane that wrote it last, and from what, back
// through registers, shared memory, shuffles, atomics and earlier launches of the same step.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/simt/debug/inspect.h"
#include "compute/simt/debug/launches.h"

namespace lanescope::simt {

// One value on the way: what an instruction made in one lane, or what was there before.
struct SliceNode {
    enum class Kind : std::uint8_t {
        operation, // an instruction computed it from its sources
        copy,      // an instruction passed its one source on: moves, loads, stores, shuffles
        pack,      // its sources' bytes, one behind the other
        atomic,    // what an atomic operation left in memory: from what was there, and its operands
        memory,    // it was in memory when the step began (or was put there by the host)
        parameter, // of the kernel
        constant,  // in the kernel's text
        thread,    // a special register: %tid.x
        undefined, // nothing has written it
        cut,       // not followed further: see `name`
    };
    Kind kind = Kind::operation;
    std::uint64_t bits = 0;
    int bytes = 4;
    ptx::Type type = ptx::Type::none; // that it is shown as
    int channels =
        1; // of a texel, that the bytes hold: each is shown by itself, "{88, 120, 200, 255}"
    std::string name;           // "%f3", "in[37]", "width", "%tid.x"
    std::vector<int> sources;   // nodes
    std::vector<int> addresses; // nodes that the place of a load or store was computed from
    // Of operations, copies and atomics: when and where.
    std::size_t launch = 0;
    std::uint64_t position = 0; // before it
    std::uint64_t block = 0;
    int warp = 0;
    int lane = 0;
    CodePlace at;
    Address address = 0; // of loads, stores and memory; of texture fetches: the texture's handle
    // For computing it again: the instruction, its lanes, and the row that the value went to; of
    // copies by how much the source's bits are shifted, and the type that they are widened as.
    const Function* function = nullptr;
    std::uint32_t pc = 0;
    std::uint32_t mask = 0;
    RowRef row = no_row;
    int shift = 0;
    ptx::Type moved = ptx::Type::none;

    std::string text() const; // the value
    bool is_made() const      // by an instruction, and not only passed on
    {
        return kind == Kind::operation || kind == Kind::atomic || kind == Kind::pack;
    }
};

struct Slice {
    std::vector<SliceNode> nodes; // the root first
    bool complete = true;         // false: it was cut at so many nodes
    bool written = true; // false: no launch of the step wrote the place; the root is `memory`
};

struct SliceOptions {
    std::size_t max_nodes = 200'000;
    bool with_addresses = false; // follows what places were computed from, too
};

// The slices of one step, launch by launch. It uses the device's memory: release() other timelines.
class Slicer {
public:
    // `device` has noted the launches of the step, and must outlive this.
    explicit Slicer(SteppedDevice& device);
    ~Slicer();

    // Of the place as it is after launch `launch` of the step (the last one: the step's result).
    Slice why(const Place& place, std::size_t launch, const SliceOptions& options = {});
    // Of the guard of the instruction at a position, as the lane has it.
    Slice why_branch(std::size_t launch, std::uint64_t position, int lane);
    // Who wrote the place last, up to that launch.
    struct Writer {
        std::size_t launch = 0;
        WriteFound write;
    };
    std::optional<Writer> writer(const Place& place, std::size_t launch);
    // Computes the slice's root again, from its leaves and by its operations alone. Nothing where
    // the slice is not complete.
    std::optional<std::uint64_t> evaluate(const Slice& slice);
    // The same in double precision and with integers that do not overflow: of every node, by its
    // number; NaN where it has no number.
    std::vector<double> evaluate_exactly(const Slice& slice) const;

    Timeline& timeline(std::size_t launch); // stands at its end

private:
    struct Trace;
    class Builder;
    class Evaluator;
    std::shared_ptr<const Trace> trace(std::size_t launch, std::uint64_t block,
                                       std::uint64_t position);

    SteppedDevice& device_;
    std::vector<std::unique_ptr<Timeline>> timelines_;
    std::vector<std::unique_ptr<CodeLines>> lines_;
    std::size_t current_ = 0;
    bool has_current_ = false;
    std::map<std::pair<std::size_t, std::uint64_t>, std::shared_ptr<Trace>> traces_;
    std::uint64_t clock_ = 0;
};

} // namespace lanescope::simt
