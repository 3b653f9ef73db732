// A frame: everything a screen needs to know of the running experiment, or of both sides of A/B, as
// plain data that is never changed once it is published. The worker makes it, the window (or
// `shot`, `record`, a test) draws it and its panels from it, and from nothing else.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/document/counting.h"
#include "app/document/journal.h"
#include "app/measure/roofs.h"
#include "app/measure/sweep.h"
#include "app/run/history.h"
#include "app/run/open_job.h"
#include "compute/counting/occupancy.h"
#include "compute/device/device.h"
#include "compute/labs/lab.h"
#include "compute/trace/trace.h"
#include "render/shared/path.h"
#include "render/views/maps/map_data.h"

namespace lanescope::app {

// A picture as OpenGL draws it. Its memory holds what the frame says while Worker::drawable(), as
// long as no newer frame has been taken.
struct DrawnPicture {
    labs::Picture shape;  // what it means; the pointers to memory are null
    unsigned memory = 0;  // OpenGL's name: a texture for an ImagePicture, else a buffer
    int image_width = 0;  // of an ImagePicture
    int image_height = 0; // of an ImagePicture
    bool grey = false;    // an ImagePicture of one channel
};

// How often each sector of one array was touched.
struct MemoryCounts {
    std::string name; // of the array
    int sectors = 0;
    unsigned touches = 0; // OpenGL's name of a count a sector: requests …
    unsigned warps = 0;   // … and distinct warps
    // The greatest counts; 0 where they stayed on the GPU.
    std::uint32_t max_touches = 0;
    std::uint32_t max_warps = 0;
    bool warps_counted = true; // false: there were more pairs of sector and warp than fit
    std::size_t row_bytes = 0; // of the array; 0: it has no rows

    render::MemoryMapData data(render::SectorMetric metric) const
    {
        return {metric == render::SectorMetric::touches ? touches : warps, sectors};
    }
};

// What the shown kernel needs of a multiprocessor.
struct KernelNeeds {
    std::string name;      // empty: no kernel
    int registers = 0;     // of a thread
    int shared_bytes = 0;  // of a block, static and dynamic
    int threads = 0;       // of a block
    bool compiled = false; // registers are those of a GPU, not those that the PTX declares
    std::optional<counting::Occupancy> occupancy; // none where the device is not a known GPU
};

// What the panels tell about an experiment.
struct Facts {
    std::int64_t steps = 0; // of the simulated thing; a launch may make several
    labs::Work work;        // of one step of the variant
    Dim3 grid{0, 0, 0};     // of the variant's main launch
    Dim3 block{0, 0, 0};
    int launches_per_step = 1;
    int steps_per_frame = 1;
    std::string warning;             // the lab's, about the chosen values
    std::vector<std::string> memory; // names of what the variant reads and writes
    KernelNeeds kernel;

    std::int64_t warps() const
    {
        return static_cast<std::int64_t>(grid.count() * ((block.count() + 31) / 32));
    }
};

// How far a journal that is being lived through again has come, in launches.
struct Replay {
    std::int64_t done = 0;
    std::int64_t all = 0;
    bool in_progress = false;

    double share() const
    {
        return all == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
    }
};

// The array that a counted request accesses.
struct RequestedMemory {
    std::string name;
    std::uint64_t begins = 0; // its address
};

// What the record judges the shown variant by, as far as its expressions say it.
struct JudgedNumbers {
    std::optional<double> value; // where it is an expression
    std::optional<double> ideal;
};

// One experiment, as of the frame.
struct SideFrame {
    const labs::Lab* lab = nullptr; // records of the program's registry
    const labs::Variant* variant = nullptr;
    std::shared_ptr<const labs::Lab> held; // labs::held()
    std::optional<DrawnPicture> picture;   // none before the first step or count was done
    std::string right; // what the record says is right of this variant, as text to be compared
    Facts facts;
    JudgedNumbers judged;
    Replay replay;
    // What has been done so far: its start, and every change with the launch before which it was
    // done. Never null once something is open.
    std::shared_ptr<const Start> start;
    std::shared_ptr<const std::vector<Event>> events;
    std::int64_t launches = 0;
    Journal journal() const { return {*start, *events, launches}; }

    // What was counted last of this variant and these values; what was not asked for is empty.
    Counting counted;
    bool counted_in_trial = false; // the trace is the lockstep machine's, until there is an own one
    std::shared_ptr<const trace::Trace> trace; // never null
    std::optional<render::WarpMapData> warp_map;
    std::optional<MemoryCounts> memory;
    std::optional<RequestedMemory> requested;        // none where that array has no name
    std::shared_ptr<const trace::Exchange> exchange; // of the block that was asked for, or null
    // The step of which the exchange or the tiles were recorded, where it is not the shown one: a
    // GPU runs the lab, or tiles stay as they are while steps follow each other; else 0.
    std::int64_t recorded_step = 0;
    std::string counting_problem; // why nothing is counted
};

// How many loads of the picture's tiles can be chosen; 0: it shows none, or they are not counted
// yet.
std::uint32_t loads_of_tiles(const SideFrame& side);

// What a quantity was in the last ten seconds that it was measured.
struct Recent {
    Spread spread;
    std::vector<History::Slice> slices; // oldest first
};

// What a step of a variant counts, where it was counted beside what is shown.
struct CountedInBackground {
    std::optional<trace::Totals> totals{}; // none: it could not be counted …
    std::string problem{};                 // … for this reason
    labs::Work work{};                     // of one step
    // The values at which it was counted because the shown ones would have taken too long:
    // "Size 129"; empty: those that are shown.
    std::string reduced{};
};

// What is known of one variant of the lab, since the lab was opened or its values changed.
struct VariantFrame {
    std::optional<labs::Work> work;      // of one step; none before it ran
    std::optional<trace::Totals> totals; // of its last launch that was counted by site
    // None: nothing yet. Times are of one step, in milliseconds, on the device's clock; those of
    // counted steps, which carry probes, are apart.
    std::shared_ptr<const Recent> step_ms;
    std::shared_ptr<const Recent> probed_ms;
    std::shared_ptr<const Recent> warp_instructions;
    std::shared_ptr<const Recent> sectors; // global
};

// By variant.
using AllCountedInBackground = std::map<std::string, CountedInBackground>;

// The device, and how it shares memory with OpenGL.
struct EngineFrame {
    std::string choice; // "auto", "cuda" or "simt": what was asked for
    device::Engine engine = device::Engine::simt;
    std::string reason; // why it is this one, as a sentence
    device::Properties properties;
    bool has_clock = false;
    render::SharingPath path = render::SharingPath::staged; // how memory reaches OpenGL …
    std::string sharing;                                    // … as a sentence
    double map_us = 0;                                      // medians
    double unmap_us = 0;
    Roofs roofs; // measured on this device; 0 while they are not known
};

// Where the fields of the two sides differ, at the same step.
struct DifferenceFrame {
    float largest = 0;
    DrawnPicture picture; // a field
};

// The sweep beside the experiment.
struct SweepFrame {
    std::shared_ptr<const SweepPlan> plan; // null: the point of an earlier sweep is still under way
    std::shared_ptr<const std::vector<SweepPoint>> points; // never null
    bool finished = false;
    std::string error; // why it ended early
};

// Something that went wrong, told once: each has a number of its own.
struct Problem {
    std::uint64_t number = 0;
    std::string sentence{};     // cause and cure
    std::exception_ptr error{}; // the same, for programs without a window
    std::uint64_t opening = 0;  // of what Worker::open() could not open; 0: of a step
    bool comparison = false;    // of the other side of A/B, which could not be started
    bool lost = false;          // the device is: only another open() goes on
    bool expected = false;      // it is what the variant is there to show
};

// What is being made ready beside what is shown.
struct OpeningFrame {
    std::uint64_t number = 0; // as Worker::open() gave it
    std::string what;         // "rotate.png"
    std::chrono::steady_clock::time_point since;
};

struct Frame {
    std::uint64_t number = 0;  // rises with every frame
    std::uint64_t picture = 0; // rises with every new picture: a recording takes each once
    // What this is of, as Worker::open() numbered it: when it changes, `found` says what has been
    // opened. 0: nothing is open.
    std::uint64_t opened = 0;
    std::shared_ptr<const Found> found;
    std::optional<OpeningFrame> opening;
    // What went wrong: the last few, newest last, so that a window which looks rarely misses none.
    std::vector<std::shared_ptr<const Problem>> problems;
    std::shared_ptr<const Problem> problem() const // the newest there was, or null
    {
        return problems.empty() ? nullptr : problems.back();
    }
    // What ended the last step of `a`, until something is changed; null: nothing did.
    std::shared_ptr<const trace::Fault> fault;

    EngineFrame engine;
    SideFrame a;
    std::optional<SideFrame> b; // the other side of A/B
    bool together = false;      // both have a picture, of the same step: they can be compared
    std::optional<DifferenceFrame> difference; // of the two, where it was wanted and can be drawn
    std::map<std::string, VariantFrame> variants;
    // Of the variants that were counted beside what is shown, with its values; null: none were.
    std::shared_ptr<const AllCountedInBackground> counted_in_background;
    std::optional<SweepFrame> sweep;

    bool is_open() const { return opened != 0; }
    const VariantFrame& of(const std::string& variant) const; // empty where nothing is known
    Spread step_ms(const std::string& variant) const;         // empty where there is no clock
    Spread probed_ms(const std::string& variant) const;
};

} // namespace lanescope::app
