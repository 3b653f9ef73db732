// One launch that can be stepped forwards and backwards. A position is the number of executed warp
// instructions, in the machine's ordered block schedule; it determines registers, memory and masks,
// however it was reached. Checkpoints are sparse; positions between them are reached by executing
// from one again.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/simt/checks/precise/access_checks.h"
#include "compute/simt/checks/recording/counting_observer.h"
#include "compute/simt/debug/pages.h"
#include "compute/simt/debug/views.h"
#include "compute/simt/debug/walk.h"
#include "compute/simt/simt_device.h"

namespace lanescope::simt {

// A store or atomic operation that wrote to a place in memory.
struct WriteFound {
    std::uint64_t position = 0; // before the instruction
    std::uint64_t block = 0;    // linear index
    int warp = 0;
    int lane = 0; // the last lane that wrote there
};

// A place in memory: an address in global memory, an offset in a block's shared memory, or an
// offset in a surface's texels.
struct Place {
    ptx::Space space = ptx::Space::global;
    Address address = 0;
    int bytes = 4;
    std::uint64_t surface = 0; // surface handle, or 0; `address` is then an offset in its texels
    std::uint64_t block = 0;   // shared memory: linear index of the block
};

struct TimelineOptions {
    std::size_t max_bytes = std::size_t{256} << 20; // limit for checkpoints
    trace::Trace* trace = nullptr; // filled as by a launch, once the end has been reached
    bool checks = true;            // use the checks in the device's options
};

class Timeline {
public:
    // Starts before the first instruction. `device` and `kernel` must outlive this, and the
    // device's memory must not be used by others meanwhile. Throws LaunchError like
    // Device::launch(), or if a single copy of the device's memory is too large.
    Timeline(SimtDevice& device, const device::Kernel& kernel, const device::Launch& launch,
             const TimelineOptions& options = {});
    ~Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    std::uint64_t position() const { return walk_.position(); }
    bool at_end() const { return complete_ && position() == known_; }
    // The fault of the next instruction, if the launch ends there with a fault; otherwise null.
    const trace::Fault* fault() const { return at_end() && fault_ ? &*fault_ : nullptr; }
    // End of the part that has been executed at least once.
    std::uint64_t known() const { return known_; }
    bool complete() const { return complete_; } // known() is the end of the launch
    const std::optional<trace::Fault>& found_fault() const { return fault_; } // of the launch
    const TimelineMarks& marks() const { return marks_; }
    std::size_t held_bytes() const { return held_bytes_; }

    // All of these throw Cancelled if the device has been cancelled, and leave the timeline at some
    // valid position.

    // Goes to the position, or to the end if that comes first.
    void go_to(std::uint64_t position);
    void step() { go_to(position() + 1); }
    void back() { go_to(position() == 0 ? 0 : position() - 1); }
    // Executes at most this many instructions beyond known() and returns to the current position.
    // Returns false once the end is known.
    bool explore(std::uint64_t instructions);

    // Call release() before others use the device's memory, and reclaim() to continue at the same
    // position.
    void release();
    void reclaim();

    // Evaluated before an instruction, with the timeline at its position.
    using Probe = std::function<bool(const Timeline&)>;
    // Goes to the first position in [from, below) for which the probe returns true; otherwise to
    // `below`, or to the end. Returns true if there was one.
    bool first(std::uint64_t from, std::uint64_t below, const Probe& probe);
    // Goes to the last position in [from, below) for which the probe returns true; otherwise stays.
    bool last(std::uint64_t from, std::uint64_t below, const Probe& probe);
    // Visits every instruction in [from, below), in order, and ends at `below` or at the end.
    void replay(std::uint64_t from, std::uint64_t below,
                const std::function<void(Timeline&)>& visit);

    // The last write to any byte of the place before a position. The
    // current position does not change.
    std::optional<WriteFound> last_write(const Place& place, std::uint64_t below);

    // Bytes of the running block's shared memory that have been written so far. Executes the block
    // again; the current position does not change.
    std::vector<bool> written_shared();

    // Start and end of the running block's turn (the end is the next block's position), as far as
    // known.
    std::uint64_t block_start(std::uint64_t position) const;
    std::optional<std::uint64_t> block_end(std::uint64_t position) const;
    // First position of the block with this number. Executes until it is reached; nullopt if there
    // is no such block.
    std::optional<std::uint64_t> find_block(std::uint64_t linear);

    // State before the next instruction; invalid at the end.
    const Walk& walk() const { return walk_; }
    Walk& walk() { return walk_; }
    const Block& block() const { return *walk_.state().running; }
    const LaunchState& launch() const { return launch_; }
    // Address of a .global variable of the module; nullopt for other names.
    std::optional<Address> symbol(const std::string& name) const;
    // Reads memory as it was before the launch. Returns false if the place was not mapped.
    bool read_initial(const Place& place, std::span<std::byte> to) const;
    // Reads current memory: global, shared (of the running block), surfaces. Returns false if the
    // place is not mapped.
    bool read(const Place& place, std::span<std::byte> to) const;

private:
    struct Checkpoint {
        std::uint64_t position = 0;
        WalkState walk;
        MemoryState memory;
        // Kept for the whole launch; other checkpoints are near the current position.
        bool lasting = false;
        std::size_t bytes = 0;
        std::uint64_t used = 0; // time of last use, for eviction
    };
    using Kept = std::shared_ptr<Checkpoint>;
    // Part of one block's execution, with the memory pages it wrote.
    struct Segment {
        std::uint64_t begin = 0;
        std::uint64_t block = 0;
        std::vector<std::uint32_t> pages; // indices into page_ids_
    };
    class Recorder;
    class Watch;
    class SharedWrites;

    void keep(bool lasting);
    void forget();
    void restore(const Kept& checkpoint);
    void restore_walk(const WalkState& state);
    std::vector<PageId> changed() const; // pages that may differ from base_
    Kept at_or_before(std::uint64_t position) const;
    Kept permanent_checkpoint_before(std::uint64_t position) const;
    void go_to_frontier();
    void extend_frontier(std::uint64_t position);
    void run_known(std::uint64_t position);
    int surface_lane(const Place& place);
    void advance();
    void observe(bool on); // during the first execution only
    void note_fault(const trace::Fault& fault);
    void finish_trace(bool cut_off);
    struct Observers {
        std::vector<Observer*> all;
        Observer* follower = nullptr;
    };
    Observers prepare_observers();

    // Declared first, because the first block writes to these members when it begins.
    TimelineMarks marks_;
    std::vector<Segment> segments_;
    std::vector<PageId> page_ids_;
    const device::Kernel& kernel_;
    LaunchState launch_;
    std::function<void(std::string_view)> print_; // output of the first execution
    bool printing_ = false;
    TimelineOptions options_;
    PagedMemory paged_;
    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<AccessChecks> checks_;
    std::unique_ptr<CountingObserver> counting_;
    Observers observers_; // observers of the first execution
    Walk walk_;
    bool observed_ = true;
    std::uint64_t known_ = 0;
    bool complete_ = false;
    std::optional<trace::Fault> fault_;
    std::map<std::uint64_t, Kept> checkpoints_; // keyed by position
    Kept base_;                                 // the checkpoint that memory last equalled
    std::uint64_t interval_ = std::uint64_t{1} << 14;
    std::uint64_t clock_ = 0;
    std::size_t held_bytes_ = 0;
};

} // namespace lanescope::simt
