// A lab as plain data, and a running experiment of it. The window, the command line, the recorder,
// the benchmark and the tests all read this record; nothing about a lab is written down anywhere
// else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/device/device.h"
#include "compute/labs/picture.h"
#include "compute/trace/trace.h"

namespace lanescope::labs {

struct Parameter {
    enum class Kind : std::uint8_t { integer, real, choice, toggle };
    std::string id{};
    std::string title{};
    std::string unit{}; // "" when it is a pure number
    Kind kind = Kind::real;
    double min = 0;
    double max = 1;
    double initial = 0;
    std::vector<std::string> choices{};  // Kind::choice: value i is choices[i]
    bool restarts = false;               // a change needs a fresh experiment (sizes, inputs)
    bool logarithmic = false;            // how a slider should spread it
    std::string help{};                  // one sentence
    std::vector<std::string> variants{}; // which it is about; empty: all

    // Whether it changes anything of the variant: sliders that do not are not shown.
    bool concerns(std::string_view variant) const;
};

struct Lab;

// A value for each parameter of a lab. Reading an unknown id is a programming error
// (std::out_of_range).
class Values {
public:
    explicit Values(const Lab& lab); // the initial values
    // Text as on the command line ("257", "0.2", "insulated", "on"). Throws Error: no such
    // parameter, not a number, out of range.
    void set(std::string_view id, std::string_view text);
    void set(std::string_view id, double value); // same checks
    double real(std::string_view id) const;
    int integer(std::string_view id) const;
    bool toggle(std::string_view id) const;
    std::string text(std::string_view id) const; // as `set` takes it
    friend bool operator==(const Values& a, const Values& b) { return a.values_ == b.values_; }

private:
    const Lab* lab_;
    std::map<std::string, double, std::less<>> values_{};
};

// One way to write the lab's kernel. Its rung is its place in Lab::variants.
struct Variant {
    std::string id{};
    std::string title{};
    std::string idea{};                 // one sentence: what this rung does differently
    std::string source{};               // file in the lab's folder, "shared_tile.cu"
    std::string kernel{};               // "heat_shared_tile"
    int steps = 1;                      // steps of the simulated thing that one step() does
    std::string fault{};                // the kind of fault that it must run into; empty: none
    std::string fixed{};                // the variant that does it right; empty: none
    bool wrong = false;                 // shows a mistake: its result must not be right
    std::vector<std::string> engines{}; // where it runs ("simt", "cuda"); empty: everywhere
    std::string edited{};               // the variant whose text was changed here; empty: none
    std::string varies{};               // why a GPU's bits and counts differ from run to run
    std::string tradeoff{};             // why its cost does not fall below the rung's before it
    // Of a launch that was guessed from the kernel's text: what its memory holds ("in: waves").
    std::vector<std::string> assumed{};
    std::vector<std::string> doubtful{}; // buffers whose sizes or contents the text leaves open
    std::size_t index = 0;               // its place in Lab::variants

    bool is_guessed() const { return !assumed.empty(); }
    bool runs_on(device::Engine engine) const;
};

// What one of NVIDIA's libraries offers for the same task, to be measured beside the variants.
struct Peer {
    std::string name{};    // "cublas_geam": one of compute/cuda/peers
    std::string variant{}; // whose input it gets, and whose work and check are its own
    // Buffers by name, numbers as expressions, under the peer's own names for them.
    std::map<std::string, std::string> takes{};
    std::string note{}; // in what it is more general than the lab's kernels; empty: in nothing
    std::string when{}; // an expression: the conditions in which it does the same; empty: always
};

// "What the lecture shows": named parameter values, and what to look at.
struct Preset {
    std::string title{};
    std::string variant{}; // empty: keep
    std::string view{};    // one of Lab::views; empty: keep
    std::string map{};     // the heatmap over the picture; empty: keep
    std::string show{};    // "picture", "memory", …; empty: keep
    std::map<std::string, std::string> values{};
};

// What a trace tells about a step, as one number that can be plotted.
enum class Ratio : std::uint8_t {
    sectors_per_load,      // of a global load request: 4 at best for 32 neighbouring numbers
    sectors_per_store,     // the same of stores
    sectors_over_ideal,    // all global sectors moved over those that the lanes needed
    wavefronts_over_ideal, // the same of shared memory
    lanes_per_instruction, // active lanes of a warp instruction, 32 at best
    instructions_per_item, // warp instructions for an item of Work
    bytes_per_item,        // bytes of global sectors moved for an item of Work
};

// A parameter worth sweeping: the plot of bandwidth and counts over its values.
struct Sweep {
    std::string title{};
    std::string parameter{};
    std::vector<std::string> values{};   // as Values::set takes them, in the order of the plot
    std::vector<std::string> variants{}; // which it is about; empty: all
    std::vector<Ratio> ratios{Ratio::sectors_per_load,
                              Ratio::sectors_over_ideal}; // what to look at
    // Values of other parameters during the sweep, instead of the user's: on a GPU large enough to
    // be timed, on simt small enough to be counted in a moment.
    std::map<std::string, std::string> on_gpu{};
    std::map<std::string, std::string> on_simt{};
    std::size_t simt_values = SIZE_MAX; // the first so many values are small enough for simt
    // Where points stand along the axis, instead of at the parameter's values: a number of the
    // record, which may differ from variant to variant. Empty: the parameter.
    std::string number{};
    std::string number_title{}; // with its unit
    // A law that says: in proportion to that number, up to the roof. Empty: none.
    std::string law{};

    bool is_about(std::string_view variant) const;
};

// What the variants of a lab are judged by, of one step: a ratio of what was counted or an
// expression over the record's values, and the least that it can be.
struct Judged {
    std::optional<Ratio> ratio{};
    std::string value{};         // where there is no ratio: an expression …
    std::string unit{};          // … of what, in the singular: "block"; or "%"
    std::string meaning{};       // "of the threads have a cell"
    std::string ideal{};         // an expression; empty: the ratio's own, if it has one
    std::string ideal_of{};      // what makes it up: "a load and an addition"
    bool more_is_better = false; // of an expression
    bool leads = false;          // it is the largest number whatever the subject itself costs
};

// What a lab shows when it is opened, and what its variants are judged by.
struct Opening {
    std::string variant{};   // empty: the first
    std::string against{};   // what it is compared with at first; empty: the rung behind it
    std::string show{};      // what stands in the picture's place, as in a preset; empty: picture
    std::string view{};      // one of Lab::views; empty: the first
    std::string map{};       // the heatmap over the picture; empty: none
    std::string first_map{}; // the one that comes first when a heatmap is asked for; empty: any
    bool tree_block = false; // a tree is that of a whole block
    // The accesses among which the one that moved most beyond its need is the request that is
    // shown.
    trace::Scope request_of = trace::Scope::all;
    std::optional<Judged> cost{}; // falls from rung to rung; none: what the subject itself costs
    std::string no_ladder{};      // why it does not, where the variants are no ladder
};

// Useful work of one step(), that is of Variant::steps steps of the simulated thing: what the
// algorithm must move and compute at the least, not what a variant happens to do.
struct Work {
    double bytes = 0; // read once + written once
    double flops = 0;
    double items = 0;
    std::string item{}; // "cells", "pixels", "bytes"
};

struct Check {
    double max_error = 0;
    double tolerance = 0;
    bool correct = false;  // false for NaN anywhere
    std::string message{}; // where the worst element is, for a wrong result
};

// A stroke of the mouse on the picture; u, v in [0, 1] from the picture's lower left.
struct Stroke {
    double u = 0;
    double v = 0;
    double radius = 0.05; // in widths of the picture
    bool erase = false;
};

// A running lab on one device. Everything is queued on the device's stream; only check() waits.
// step(), recount(), picture(), paint() and check() are called while memory shared with OpenGL is
// mapped; construction, select() and set() need no mapping.
class Experiment {
public:
    virtual ~Experiment() = default;
    virtual void select(const Variant& variant) = 0; // the next step uses it; the state is kept
    virtual void set(const Values& values) = 0;      // parameters that do not restart
    virtual void
    step(trace::Trace* trace = nullptr) = 0; // one step of the variant: only its own launches
    // Launches the variant's kernel once more, only to be counted: the state stays what it is.
    virtual void recount(trace::Trace& trace) = 0;
    // Steps of the simulated thing done so far; one step() does Variant::steps of them.
    virtual std::int64_t steps() const = 0;
    // How often the window calls step() before it draws.
    virtual int steps_per_frame() const { return 1; }
    virtual Picture picture(std::string_view view) = 0; // may launch the lab's drawing kernel
    virtual void paint(const Stroke&) {}
    virtual Check
    check() = 0; // compares the state with the double-precision reference run from the same start
    // The same of another program's result of the last step, such as a peer's.
    virtual Check check(std::span<const std::byte> result) = 0;
    virtual Work work_per_launch() const = 0;
    // The kernel and shape of the variant's (main) launch, for occupancy and for views.
    struct Shape {
        const device::Kernel* kernel = nullptr;
        Dim3 grid;
        Dim3 block;
        std::uint32_t dynamic_shared_bytes = 0;
        int launches_per_step = 1;
    };
    virtual Shape shape() const = 0;
    // Where the next step() of the variant will store its result, for maps of which warp wrote
    // what: width × height elements, row 0 at the bottom of the picture. Neither buffer nor image:
    // the result is no such array.
    struct Result {
        const device::Buffer* buffer = nullptr;
        const device::Image* image = nullptr; // a surface that is written instead of a buffer
        std::size_t offset_bytes = 0;
        int element_bytes = 4;
        int width = 0;
        int height = 1;
        int stored_height = 1; // rows from 0 that it stores there; the others come from elsewhere

        // What a trace must be asked to tell who stored it; of memory that is mapped.
        trace::Footprint footprint() const;
    };
    virtual Result next_result() const { return {}; }
    // The memory that the next step() of the variant reads and writes, the most telling first, for
    // maps of who touched it.
    struct Memory {
        std::string name; // as kernel and lesson call it
        const device::Buffer* buffer = nullptr;
        std::size_t bytes = 0;     // from its beginning
        std::size_t row_bytes = 0; // of a row; 0: it has one dimension
    };
    virtual std::vector<Memory> memory() const { return {}; }
    // A sentence when the chosen values lead somewhere surprising ("unstable: …"); empty otherwise.
    virtual std::string warning() const { return {}; }
    // Memory by the name that the record gives it; null for other names.
    virtual const device::Buffer* buffer(std::string_view name) const = 0;
    // An expression over the record's parameters and values, for the variant that is selected.
    // Throws Error (bad_usage) for any other text.
    virtual double number(const std::string& expression) const = 0;
};

struct Setup {
    device::Device& device;
    device::Allocator& shown; // for memory that is drawn
    const Lab& lab;
    const Variant& variant;
    Values values;
    std::uint64_t seed = 1;
    std::filesystem::path
        image; // the user's picture, for labs that take one; empty: a generated one
};

struct Record;
struct Texts;

// The files of a lab's folder: source text, lesson, PTX. Throws Error.
using Files = std::function<std::string_view(std::string_view name)>;

struct Lab {
    std::string id{}; // the name of its folder
    // What find() finds it by again: its id, its folder's path, or what open_texts() called it.
    std::string place{};
    std::string title{};
    std::string question{}; // the question it answers, one sentence
    int order = 0;          // place in lists
    std::vector<Parameter> parameters{};
    std::vector<Variant> variants{};
    std::vector<Preset> presets{};
    std::vector<std::string> views{}; // "field", "surface", …; the first is the default
    Opening opens{};
    std::vector<Sweep> sweeps{};
    bool takes_image = false; // Setup::image is read
    // Stands for a file of which no kernel could be read yet; it launches nothing.
    bool placeholder = false;
    std::string tolerance_reason{};
    // Parameter values of the problem sizes at which tests and the benchmark run every variant.
    std::vector<std::map<std::string, std::string>> test_sizes{};
    std::map<std::string, std::string> l2_sized{};
    std::map<std::string, std::string> dram_sized{};
    std::vector<Peer> peers{};
    std::shared_ptr<const Record> record{}; // what the experiment runs
    Files files{};
    std::shared_ptr<const Texts> texts{}; // that it was made of (texts.h); null: none
    // Which measured rate of operations bounds it: "fma" (multiply-adds) or "add_min" (pairs of an
    // addition and a minimum); empty: memory does.
    std::string rate{};

    std::unique_ptr<Experiment> start(const Setup& setup) const;
    const Variant* find_variant(std::string_view id) const;
    const Variant& opening_variant() const;
    // Nothing where there is no such view.
    std::optional<ViewKind> kind_of_view(std::string_view id) const;
    // The variant's view of that kind; empty where it has none.
    std::string_view view_of_kind(const Variant& variant, ViewKind kind) const;
    const Parameter* find_parameter(std::string_view id) const;
    // Those with a number of their own, from 1. One that mends the mistake before it has none.
    std::vector<const Variant*> rungs() const;
    // From a mistake to the variant that is fixed, and back; null for the others.
    const Variant* counterpart(const Variant& variant) const;
    std::string_view lesson() const;                       // lesson.md
    std::string_view source(const Variant& variant) const; // the .cu text as shown
    std::string_view ptx(const Variant& variant) const;
    // What the compiler said of a text that it compiled; empty for kernels that come compiled.
    std::string_view compiler_log(const Variant& variant) const;
    std::string_view
    file(std::string_view name) const; // any file of the lab's folder; throws Error
    // The place of the lab that texts lie over; its own where none do.
    const std::string& origin() const;
};

// The labs that the program carries, in order.
std::span<const Lab> all();
// They, and the labs that were found in folders so far; not those that texts make.
std::vector<const Lab*> listed();
// By its id, by the place that open_texts() gave it, or by the path of a folder with a lab.json,
// which is read once. Throws Error:
// no_such_thing that lists the ids there are, or bad_usage with what is wrong in the record.
const Lab& find(std::string_view id_or_folder);
const Variant& find_variant(const Lab& lab, std::string_view id);

// What a compiler made of a text, and what it had to say of it: its warnings, with their lines.
struct CompiledText {
    CompiledText(std::string made, std::string said = {})
        : ptx(std::move(made)), log(std::move(said))
    {
    }
    std::string ptx;
    std::string log;
};

// CUDA C++ to PTX; `name` is in messages and in the PTX's line table. `folder` is the one on disk
// whose headers the text may include, empty where it is from none.
using Compiler =
    std::function<CompiledText(std::string_view text, const std::filesystem::path& name,
                               const std::filesystem::path& folder)>;

// What compiles the kernels of labs that come in folders or as texts, when they are first needed.
// To be called once, before the first of them is looked for.
void compile_with(Compiler compiler);

constexpr const char* record_file = "lab.json"; // in a lab's folder
// Whether it is a folder with one.
bool is_lab_folder(const std::filesystem::path& folder);

} // namespace lanescope::labs
