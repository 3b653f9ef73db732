// One launch that can be gone through forwards and backwards. A position is the number of warp
// instructions that have run, in the order in which the machine runs blocks in order; the same
// position has the same registers, memory and masks, however it was come to. States are kept
// sparsely, and what lies between them is run again.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compute/simt/checks/access_checks.h"
#include "compute/simt/checks/counting_observer.h"
#include "compute/simt/debug/pages.h"
#include "compute/simt/debug/views.h"
#include "compute/simt/debug/walk.h"
#include "compute/simt/simt_device.h"

namespace lanescope::simt {

// A store or an atomic operation that wrote a place in memory.
struct WriteFound {
    std::uint64_t position = 0; // before it
    std::uint64_t block = 0;    // linear
    int warp = 0;
    int lane = 0; // the last one that wrote there
};

// A place in memory: of global memory by its address; of a block's shared memory by its offset
// there; of a surface by its handle and the offset of the texel.
struct Place {
    ptx::Space space = ptx::Space::global;
    Address address = 0;
    int bytes = 4;
    std::uint64_t surface = 0; // a surface's handle; `address` is then an offset in its texels
    std::uint64_t block = 0;   // shared memory: of this block
};

struct TimelineOptions {
    std::size_t max_bytes = std::size_t{256} << 20; // held, whatever the launch takes
    trace::Trace* trace = nullptr; // filled as a launch fills it, once the end has been reached
    bool checks = true;            // those of the device's options
};

class Timeline {
public:
    // Stands before the first instruction. `device` and `kernel` must outlive this, and nobody else
    // may use the device's memory meanwhile. Throws LaunchError like Device::launch(), or where a
    // copy of the device's memory alone is too large.
    Timeline(SimtDevice& device, const device::Kernel& kernel, const device::Launch& launch,
             const TimelineOptions& options = {});
    ~Timeline();
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    std::uint64_t position() const { return walk_.position(); }
    bool at_end() const { return complete_ && position() == known_; }
    // At the end because the next instruction faults. Null elsewhere.
    const trace::Fault* fault() const { return at_end() && fault_ ? &*fault_ : nullptr; }
    // Up to here the launch has run once; beyond, nothing is known of it.
    std::uint64_t known() const { return known_; }
    bool complete() const { return complete_; } // known() is the end of the launch
    const std::optional<trace::Fault>& found_fault() const { return fault_; } // once it is known
    const TimelineMarks& marks() const { return marks_; }
    std::size_t held_bytes() const { return held_bytes_; }

    // All of these throw Cancelled once the device has been cancelled, and stand at some position
    // then.

    // To that position, or to the end where that comes before.
    void go_to(std::uint64_t position);
    void step() { go_to(position() + 1); }
    void back() { go_to(position() == 0 ? 0 : position() - 1); }
    // Runs at most so many instructions beyond known() and comes back to where it stood. False when
    // the end is known.
    bool explore(std::uint64_t instructions);

    // Before somebody else uses the device's memory, and to go on where it stood afterwards.
    void release();
    void reclaim();

    // Asked before each instruction of a stretch; stands there.
    using Probe = std::function<bool(const Timeline&)>;
    // The first position in [from, below) where the probe says yes; stands there, or else at
    // `below`, or at the end.
    bool first(std::uint64_t from, std::uint64_t below, const Probe& probe);
    // The last position in [from, below) where it says yes; stands there. Else where it stood
    // before.
    bool last(std::uint64_t from, std::uint64_t below, const Probe& probe);
    // Asks for every instruction in [from, below), in order, and stands at `below` or at the end.
    void replay(std::uint64_t from, std::uint64_t below,
                const std::function<void(Timeline&)>& visit);

    // The last write of any byte of the place before a position. Stands where it stood.
    std::optional<WriteFound> last_write(const Place& place, std::uint64_t below);

    // Where the block that runs at a position begins, and where its turn ends (the next block's
    // position); of what is known.
    std::uint64_t block_start(std::uint64_t position) const;
    std::optional<std::uint64_t> block_end(std::uint64_t position) const;
    // Where the block with this number begins. Runs on until it does; nothing where there is none.
    std::optional<std::uint64_t> find_block(std::uint64_t linear);

    // What the machine is about to do; not to be asked at the end.
    const Walk& walk() const { return walk_; }
    Walk& walk() { return walk_; }
    const Block& block() const { return *walk_.state().running; }
    const LaunchState& launch() const { return launch_; }
    // Where a .global variable of the module is; nothing for other names.
    std::optional<Address> symbol(const std::string& name) const;
    // Memory as it was before the launch. False where there was none.
    bool read_initial(const Place& place, std::span<std::byte> to) const;
    // Memory as it is now: global, shared (of the running block), surfaces. False where there is
    // none.
    bool read(const Place& place, std::span<std::byte> to) const;

private:
    struct Checkpoint {
        std::uint64_t position = 0;
        WalkState walk;
        MemoryState memory;
        bool lasting =
            false; // of those that cover the launch; the others are near where one stands
        std::size_t bytes = 0;
        std::uint64_t used = 0; // when, for what to forget first
    };
    using Kept = std::shared_ptr<Checkpoint>;
    // A stretch of one block, and the pages of memory that it wrote.
    struct Segment {
        std::uint64_t begin = 0;
        std::uint64_t block = 0;
        std::vector<std::uint32_t> pages; // indices into page_ids_
    };
    class Recorder;
    class Watch;

    void keep(bool lasting);
    void forget();
    void restore(const Kept& checkpoint);
    void restore_walk(const WalkState& state);
    std::vector<PageId> changed() const; // pages that may differ from those of base_
    Kept at_or_before(std::uint64_t position) const;
    Kept permanent_checkpoint_before(std::uint64_t position) const;
    void go_to_frontier();
    void run_frontier(std::uint64_t position);
    void run_known(std::uint64_t position);
    int surface_lane(const Place& place);
    void advance();
    void observe(bool on); // what runs for the first time
    void note_fault(const trace::Fault& fault);
    void finish_trace(bool cut_off);
    struct Observers {
        std::vector<Observer*> all;
        Observer* follower = nullptr;
    };
    Observers prepare_observers();

    // What the first block writes to when it begins: before all that begins it.
    TimelineMarks marks_;
    std::vector<Segment> segments_;
    std::vector<PageId> page_ids_;
    const device::Kernel& kernel_;
    LaunchState launch_;
    std::function<void(std::string_view)> print_; // of what runs for the first time
    bool printing_ = false;
    TimelineOptions options_;
    PagedMemory paged_;
    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<AccessChecks> checks_;
    std::unique_ptr<CountingObserver> counting_;
    Observers observers_; // of what runs for the first time
    Walk walk_;
    bool observed_ = true;
    std::uint64_t known_ = 0;
    bool complete_ = false;
    std::optional<trace::Fault> fault_;
    std::map<std::uint64_t, Kept> checkpoints_; // by position
    Kept base_;                                 // that memory was last the same as
    std::uint64_t interval_ = std::uint64_t{1} << 14;
    std::uint64_t clock_ = 0;
    std::size_t held_bytes_ = 0;
};

} // namespace lanescope::simt
