// A frame: everything that a screen shows of the running experiment, or of both sides of A/B, as
// plain data that is immutable once published. The worker makes frames; the window, `shot`,
// `record` and tests draw pictures and panels from frames alone.
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

#include "app/document/experiment/journal.h"
#include "app/document/look/counting.h"
#include "app/measure/roofs.h"
#include "app/measure/sweep.h"
#include "app/run/frame/history.h"
#include "app/run/frame/open_job.h"
#include "compute/counting/occupancy.h"
#include "compute/device/device.h"
#include "compute/experiment/lab/lab.h"
#include "compute/trace/served.h"
#include "compute/trace/trace.h"
#include "render/shared/path.h"
#include "render/views/maps/map_data.h"

namespace lanescope::app {

struct TimeReport;

// A picture as OpenGL draws it. Its memory is valid while Worker::drawable() and until a newer
// frame is taken.
struct DrawnPicture {
    labs::Picture shape;  // kind of picture; its pointers to memory are null
    unsigned memory = 0;  // OpenGL name: a texture for an ImagePicture, else a buffer
    int image_width = 0;  // for an ImagePicture
    int image_height = 0; // for an ImagePicture
    bool grey = false;    // a single-channel ImagePicture
};

// How often each sector of an array was accessed.
struct MemoryCounts {
    std::string name; // name of the array
    int sectors = 0;
    unsigned touches = 0; // OpenGL buffer with one count per sector: requests …
    unsigned warps = 0;   // … and distinct warps
    // Maximum counts; 0 if they stayed on the GPU.
    std::uint32_t max_touches = 0;
    std::uint32_t max_warps = 0;
    bool warps_counted = true; // false if there were more pairs of sector and warp than fit
    std::size_t row_bytes = 0; // per row of the array; 0: no rows

    render::MemoryMapData data(render::SectorMetric metric) const
    {
        return {metric == render::SectorMetric::touches ? touches : warps, sectors};
    }
};

// Resources that the kernel needs on a multiprocessor.
struct KernelNeeds {
    std::string name;      // empty without a kernel
    int registers = 0;     // per thread
    int shared_bytes = 0;  // per block, static and dynamic
    int threads = 0;       // per block
    bool compiled = false; // registers are a GPU's, not the virtual ones of the PTX
    std::optional<counting::Occupancy> occupancy; // empty for an unknown device
};

// Facts about an experiment, shown by panels.
struct Facts {
    std::int64_t steps = 0; // simulation steps; a launch may make several
    labs::Work work;        // per step of the variant
    Dim3 grid{0, 0, 0};     // main launch of the variant
    Dim3 block{0, 0, 0};
    int launches_per_step = 1;
    int steps_per_frame = 1;
    std::string warning;             // the lab's warning about the chosen values
    std::vector<std::string> memory; // names of the memory the variant reads and writes
    KernelNeeds kernel;

    std::int64_t warps() const
    {
        return static_cast<std::int64_t>(grid.count() * ((block.count() + 31) / 32));
    }
};

// Progress of a journal's replay, in launches.
struct Replay {
    std::int64_t done = 0;
    std::int64_t all = 0;
    bool in_progress = false;

    double share() const
    {
        return all == 0 ? 1 : std::min(1.0, static_cast<double>(done) / static_cast<double>(all));
    }
};

// The array accessed by a counted request.
struct RequestedMemory {
    std::string name;
    std::uint64_t begins = 0; // start address
};

// Numbers by which the record judges the variant; empty if they are not expressions.
struct JudgedNumbers {
    std::optional<double> value;
    std::optional<double> ideal;
};

// One experiment in a frame.
struct SideFrame {
    const labs::Lab* lab = nullptr; // in the program's registry
    const labs::Variant* variant = nullptr;
    std::shared_ptr<const labs::Lab> held; // labs::held()
    std::optional<DrawnPicture> picture;   // empty before the first step or count
    std::string right; // the part of the record that defines this variant's correct result, as text
    Facts facts;
    JudgedNumbers judged;
    Replay replay;
    // History: the start, and every change, each with the launch before which it was made. Never
    // null once something is open.
    std::shared_ptr<const Start> start;
    std::shared_ptr<const std::vector<Event>> events;
    std::int64_t launches = 0;
    Journal journal() const { return {*start, *events, launches}; }

    // The counts last taken for this variant and these values; empty if not requested.
    Counting counted;
    bool counted_in_trial = false; // the trace is from the trial on the lockstep machine, until a
                                   // newer one exists
    std::shared_ptr<const trace::Trace> trace; // never null
    // The same launch, followed through the caches; null if that was not requested.
    std::shared_ptr<const trace::ServedBy> served;
    std::optional<render::WarpMapData> warp_map;
    std::optional<MemoryCounts> memory;
    std::optional<RequestedMemory> requested;        // array accessed; empty if unnamed
    std::shared_ptr<const trace::Exchange> exchange; // for the requested block, or null
    // Step in which the exchange or the tiles were recorded, if it is not the step on screen (on a
    // GPU, or because tiles are kept while steps follow each other); else 0.
    std::int64_t recorded_step = 0;
    std::string counting_problem; // why nothing is counted
};

// Number of loads of the picture's tiles that can be selected; 0 if it has none, or they are not
// counted yet.
std::uint32_t loads_of_tiles(const SideFrame& side);

// A quantity over the last ten seconds in which it was measured.
struct Recent {
    Spread spread;
    std::vector<History::Slice> slices; // oldest first
};

// Counts of a step of a variant that is not on screen.
struct CountedInBackground {
    std::optional<trace::Totals> totals{}; // empty if it could not be counted …
    std::string problem{};                 // … for this reason
    labs::Work work{};                     // per step
    // Values at which it was counted because the current ones would take too long: "Size 129";
    // empty: the current ones.
    std::string reduced{};
    std::shared_ptr<const TimeReport> time{}; // predicted; null until known
};

// Everything known about a variant since the lab was opened or its values changed.
struct VariantFrame {
    std::optional<labs::Work> work;      // per step; empty before it ran
    std::optional<trace::Totals> totals; // for its last launch counted by site
    // Null if there is nothing yet. Step times in milliseconds on the device's clock; those of
    // counted steps, which include probes, are separate.
    std::shared_ptr<const Recent> step_ms;
    std::shared_ptr<const Recent> probed_ms;
    std::shared_ptr<const Recent> warp_instructions;
    std::shared_ptr<const Recent> sectors; // global memory
};

// By variant.
using AllCountedInBackground = std::map<std::string, CountedInBackground>;

// The device, and how it shares memory with OpenGL.
struct EngineFrame {
    std::string choice; // requested: "auto", "cuda" or "simt"
    device::Engine engine = device::Engine::simt;
    std::string reason; // why this engine, as a sentence
    device::Properties properties;
    bool has_clock = false;
    render::SharingPath path = render::SharingPath::staged; // how memory reaches OpenGL …
    std::string sharing;                                    // … as a sentence
    double map_us = 0;                                      // medians
    double unmap_us = 0;
    Roofs roofs; // measured on this device; 0 until known
};

// Difference of the fields of the two sides at the same step.
struct DifferenceFrame {
    float largest = 0;
    DrawnPicture picture; // a field picture
};

// The sweep running beside the experiment.
struct SweepFrame {
    std::shared_ptr<const SweepPlan> plan;                 // null while an earlier sweep is ending
    std::shared_ptr<const std::vector<SweepPoint>> points; // never null
    bool finished = false;
    std::string error; // why it stopped early
};

// A failure, reported once, identified by its number.
struct Problem {
    std::uint64_t number = 0;
    std::string sentence{};     // cause and fix
    std::exception_ptr error{}; // the original, for programs without a window
    std::uint64_t opening = 0;  // number of the Worker::open() that failed; 0: a step failed
    std::uint64_t opened = 0;   // the experiment of that step, as Frame::opened
    bool comparison = false;    // the other side of A/B could not be started
    bool lost = false;          // the device is lost: only another open() helps
    bool expected = false;      // the variant demonstrates this failure by design
};

// Progress of opening something while the current experiment stays on screen.
struct OpeningFrame {
    std::uint64_t number = 0; // as returned by Worker::open()
    std::string what;         // "rotate.png"
    std::chrono::steady_clock::time_point since;
};

struct Frame {
    std::uint64_t number = 0;  // incremented with every frame
    std::uint64_t picture = 0; // incremented with every new picture: a recording takes each once
    // Number of the Worker::open() that this frame belongs to. When it changes, `found` has the
    // opened file. 0: nothing is open.
    std::uint64_t opened = 0;
    std::shared_ptr<const Found> found;
    std::optional<OpeningFrame> opening;
    // The last few failures, newest last, so that a window which polls rarely misses none.
    std::vector<std::shared_ptr<const Problem>> problems;
    std::shared_ptr<const Problem> problem() const // the newest one, or null
    {
        return problems.empty() ? nullptr : problems.back();
    }
    // The fault that ended the last step of `a`, until something changes; null if none.
    std::shared_ptr<const trace::Fault> fault;

    EngineFrame engine;
    SideFrame a;
    std::optional<SideFrame> b; // the other side of A/B
    bool together = false;      // both have a picture of the same step and can be compared
    std::optional<DifferenceFrame> difference; // if requested and possible
    std::map<std::string, VariantFrame> variants;
    // Counts of variants not on screen, with the current values; null if there are none.
    std::shared_ptr<const AllCountedInBackground> counted_in_background;
    std::optional<SweepFrame> sweep;

    bool is_open() const { return opened != 0; }
    const VariantFrame& of(const std::string& variant) const; // empty if nothing is known
    Spread step_ms(const std::string& variant) const;         // empty without a clock
    Spread probed_ms(const std::string& variant) const;
};

} // namespace lanescope::app
