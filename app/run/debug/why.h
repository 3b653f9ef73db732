// "Why does this element have its value?": the slice of one memory location as a tree over source
// lines, with values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/debug/debug_start.h"
#include "app/run/debug/why_tree.h"
#include "compute/simt/debug/slice.h"

namespace lanescope::app {

// Where a result first went wrong.
struct FirstWrong {
    int line = 0;         // 0: no wrong line found
    bool complete = true; // false if the search was cut off
    std::string source;
    std::string sentence; // describes the error
    std::size_t launch = 0;
    std::uint64_t position = 0;
    std::uint64_t block = 0;
    int warp = 0;
    int lane = 0;
};

// Explains the results of one step, on its own lockstep machine. Used by one thread at a time.
class Explainer {
public:
    // Runs the lab to the end of the step, or to its first fault, which may be a race or an
    // uninitialised read, depending on the start's checks. Throws Error like Debugger.
    explicit Explainer(const DebugStart& start);
    ~Explainer();

    // Location of the result's element at a column and row, row 0 at the bottom of its picture.
    // Throws Error (bad_usage) if outside, or if the lab has no such result.
    simt::Place element(std::int64_t x, std::int64_t y) const;
    // Column and row of the element at a point of the picture, 0 to 1 from its lower left.
    std::pair<std::int64_t, std::int64_t> element_at(double u, double v) const;
    // Location of an element of a buffer in the record. Throws Error (no_such_thing, bad_usage).
    simt::Place element_of(const std::string& buffer, std::int64_t index, int bytes) const;

    simt::Slice slice(const simt::Place& place, bool with_addresses = false);
    WhyTree tree(const simt::Place& place);
    WhyTree tree(const simt::Slice& slice) const;

    // Finds the first error on the way to an element. With `reference`, a correct variant whose
    // text differs only by an edit, that is where the slices of the element first differ. Without
    // it, that is where the slice differs from double precision, or has values that never occur in
    // the reference. For a kernel that faults, it is the fault.
    FirstWrong first_wrong(const simt::Place& place, Explainer* reference);
    // The first element of the result that differs from the reference's; empty if they are equal.
    std::optional<std::pair<std::int64_t, std::int64_t>> first_difference(Explainer& reference);

    simt::Slicer& slicer() { return *slicer_; }
    simt::SteppedDevice& device() { return *device_; }
    std::size_t launches() const { return device_->launches().size(); }
    std::int64_t step() const { return step_; } // of the lab, from 1
    const labs::Experiment::Result& result() const { return result_; }
    std::string line_text(int line) const;
    std::vector<std::byte> result_bytes();

private:
    FirstWrong fault();

    DebugStart start_;
    std::unique_ptr<simt::SteppedDevice> device_;
    std::unique_ptr<device::Allocator> allocator_;
    std::unique_ptr<labs::Experiment> experiment_;
    std::int64_t step_ = 1;
    labs::Experiment::Result result_;
    std::unique_ptr<simt::Slicer> slicer_;
    std::optional<trace::Fault> fault_; // fault that ended the step's last launch
    std::vector<std::string> lines_;
};

// The slice as a tree over source lines; `lines` is the kernel's text.
WhyTree tree_of(const simt::Slice& slice, const std::vector<std::string>& lines);
// A line (from 1) without its indentation; empty if it does not exist.
std::string trimmed_line(const std::vector<std::string>& lines, int line);

// The tree as indented text; each source line appears once.
std::string tree_text(const WhyTree& tree, int max_depth = 12, std::size_t max_lines = 200);

} // namespace lanescope::app
