// Explains a value in memory: the lane that last wrote it, and the inputs of that write, followed
// back through registers, shared memory, shuffles, atomics and earlier launches of the same step.
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

// One value of a slice: the result of an instruction in one lane, or an initial value.
struct SliceNode {
    enum class Kind : std::uint8_t {
        operation, // result of an instruction, computed from its sources
        copy,      // an instruction that passes on its only source: move, load, store, shuffle
        pack,      // concatenated bytes of its sources
        atomic,    // memory contents after an atomic operation, from the old value and its operands
        memory,    // initial memory contents at the start of the step, or written by the host
        parameter, // kernel parameter
        constant,  // constant in the kernel's text
        thread,    // special register: %tid.x
        undefined, // uninitialised
        cut,       // not followed further; `name` gives the reason
    };
    Kind kind = Kind::operation;
    std::uint64_t bits = 0;
    int bytes = 4;
    ptx::Type type = ptx::Type::none; // type to display it as
    // Number of texel channels in the bytes, displayed individually: "{88, 120, 200, 255}".
    int channels = 1;
    std::string name;           // "%f3", "in[37]", "width", "%tid.x"
    std::vector<int> sources;   // node indices
    std::vector<int> addresses; // nodes that the address of a load or store was computed from
    // Operations, copies and atomics: time and place of execution.
    std::size_t launch = 0;
    std::uint64_t position = 0; // before the instruction
    std::uint64_t block = 0;
    int warp = 0;
    int lane = 0;
    CodePlace at;
    Address address = 0; // loads, stores and memory: address; texture fetches: the texture's handle
    // For re-execution: the instruction, its lanes, and the destination row; for copies, the shift
    // applied to the source bits and the type they are widened as.
    const Function* function = nullptr;
    std::uint32_t pc = 0;
    std::uint32_t mask = 0;
    RowRef row = no_row;
    int shift = 0;
    ptx::Type moved = ptx::Type::none;

    std::string text() const; // the value as text
    bool is_made() const      // computed by an instruction, not just passed on
    {
        return kind == Kind::operation || kind == Kind::atomic || kind == Kind::pack;
    }
};

struct Slice {
    std::vector<SliceNode> nodes; // nodes[0] is the root
    bool complete = true;         // false: cut at max nodes
    bool written = true;          // false: no launch wrote to the place, and the root is `memory`
};

struct SliceOptions {
    std::size_t max_nodes = 200'000;
    bool with_addresses = false; // also follow the computation of addresses
};

// Slices of one step, over its launches. Uses the device's memory: release() other timelines first.
class Slicer {
public:
    // `device` has recorded the step's launches, and must outlive this.
    explicit Slicer(SteppedDevice& device);
    ~Slicer();

    // Slice of the place's value after launch `launch` of the step; after the last
    // launch, this is the step's result.
    Slice why(const Place& place, std::size_t launch, const SliceOptions& options = {});
    // Slice of a lane's guard predicate, for the instruction at a position.
    Slice why_branch(std::size_t launch, std::uint64_t position, int lane);
    // The last write to the place, up to and including that launch.
    struct Writer {
        std::size_t launch = 0;
        WriteFound write;
    };
    std::optional<Writer> writer(const Place& place, std::size_t launch);
    // Recomputes the slice's root from its leaves, re-executing its operations. nullopt if the
    // slice is incomplete.
    std::optional<std::uint64_t> evaluate(const Slice& slice);
    // Same, in double precision and with integers that don't overflow. Returns one value per node;
    // NaN if it is not a number.
    std::vector<double> evaluate_exactly(const Slice& slice) const;

    Timeline& timeline(std::size_t launch); // positioned at the end of the launch

private:
    struct Trace;
    class Builder;
    class Evaluator;
    class TraceRecorder;
    void evict_traces(const Trace& needed);
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
