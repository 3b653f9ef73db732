// "Why is this element what it is?": the slice of one place in memory as a tree over source lines,
// with values.
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
    int line = 0;         // 0: nothing on the way is wrong
    bool complete = true; // false: it goes back further than is followed
    std::string source;
    std::string sentence; // what happened there, in words
    std::size_t launch = 0;
    std::uint64_t position = 0;
    std::uint64_t block = 0;
    int warp = 0;
    int lane = 0;
};

// Explains the results of one step. It uses a lockstep machine of its own, and one thread at a
// time.
class Explainer {
public:
    // Runs the lab to the end of the step, or to its first fault: with the start's checks, races
    // and reads of what nothing has written are some. Throws Error like Debugger.
    explicit Explainer(const DebugStart& start);
    ~Explainer();

    // Of the element at a column and row of the result, row 0 at the bottom of its picture. Throws
    // Error (bad_usage) outside of it, or where the lab has no such result.
    simt::Place element(std::int64_t x, std::int64_t y) const;
    // Column and row of the element at a place of the picture, 0 to 1 from its lower left.
    std::pair<std::int64_t, std::int64_t> element_at(double u, double v) const;
    // Of an element of a buffer that the record names. Throws Error (no_such_thing, bad_usage).
    simt::Place element_of(const std::string& buffer, std::int64_t index, int bytes) const;

    simt::Slice slice(const simt::Place& place, bool with_addresses = false);
    WhyTree tree(const simt::Place& place);
    WhyTree tree(const simt::Slice& slice) const;

    // With `reference`, a variant that is right, by where its slice of the same element has other
    // values, if its text is this one's but for an edit; else by what the slice computes in double
    // precision, and by values that the reference never has. Of a kernel that faults, the
    // fault.
    FirstWrong first_wrong(const simt::Place& place, Explainer* reference);
    // The first element of the result that is another one than the reference's; nothing: all are
    // the same.
    std::optional<std::pair<std::int64_t, std::int64_t>> first_difference(Explainer& reference);

    simt::Slicer& slicer() { return *slicer_; }
    simt::SteppedDevice& device() { return *device_; }
    std::size_t launches() const { return device_->launches().size(); }
    const labs::Experiment::Result& result() const { return result_; }
    std::string line_text(int line) const;
    std::vector<std::byte> result_bytes();

private:
    FirstWrong fault();

    DebugStart start_;
    std::unique_ptr<simt::SteppedDevice> device_;
    std::unique_ptr<device::Allocator> allocator_;
    std::unique_ptr<labs::Experiment> experiment_;
    labs::Experiment::Result result_;
    std::unique_ptr<simt::Slicer> slicer_;
    std::optional<trace::Fault> fault_; // the step's last launch ends with it
    std::vector<std::string> lines_;
};

// The slice as a tree over source lines; `lines` are those of the kernel's text.
WhyTree tree_of(const simt::Slice& slice, const std::vector<std::string>& lines);
// A line from 1 without its indentation; empty where there is none.
std::string trimmed_line(const std::vector<std::string>& lines, int line);

// The tree as text, indented; each line of source once.
std::string tree_text(const WhyTree& tree, int max_depth = 12, std::size_t max_lines = 200);

} // namespace lanescope::app
