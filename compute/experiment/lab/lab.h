// A lab as plain data, and a running experiment. The window, the command line, the recorder, the
// benchmark and the tests all use this record; nothing about a lab is stored elsewhere.
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
#include "compute/experiment/lab/picture.h"
#include "compute/trace/trace.h"

namespace lanescope::labs {

struct Parameter {
    enum class Kind : std::uint8_t { integer, real, choice, toggle };
    std::string id{};
    std::string title{};
    std::string unit{}; // "" for a pure number
    Kind kind = Kind::real;
    double min = 0;
    double max = 1;
    double initial = 0;
    std::vector<std::string> choices{};  // Kind::choice: value i is choices[i]
    bool restarts = false;               // a change restarts the experiment (sizes, inputs)
    bool logarithmic = false;            // logarithmic slider
    std::string help{};                  // one sentence
    std::string zero{};                  // meaning of 0: a parameter's id, or words; may be empty
    std::vector<std::string> variants{}; // variants it applies to; empty: all

    // True if it affects the variant; if not, its slider is hidden.
    bool concerns(std::string_view variant) const;
};

struct Lab;

// One value per parameter of a lab. Reading an unknown id is a programming error
// (std::out_of_range).
class Values {
public:
    explicit Values(const Lab& lab); // sets initial values
    // Command-line syntax ("257", "0.2", "insulated", "on"). Throws Error: unknown parameter, not a
    // number, out of range.
    void set(std::string_view id, std::string_view text);
    void set(std::string_view id, double value); // checks like the other set()
    double real(std::string_view id) const;
    int integer(std::string_view id) const;
    bool toggle(std::string_view id) const;
    std::string text(std::string_view id) const; // in the syntax of set()
    friend bool operator==(const Values& a, const Values& b) { return a.values_ == b.values_; }

private:
    const Lab* lab_;
    std::map<std::string, double, std::less<>> values_{};
};

// One version of the lab's kernel. Its rung is its index in Lab::variants.
struct Variant {
    std::string id{};
    std::string title{};
    std::string idea{};                 // one sentence: the difference from the previous rung
    std::string source{};               // file in the lab's folder, "shared_tile.cu"
    std::string kernel{};               // "heat_shared_tile"
    int steps = 1;                      // simulated steps per step()
    std::string fault{};                // kind of fault that it must cause; empty: none
    std::string fixed{};                // the corrected variant; empty: none
    bool wrong = false;                 // demonstrates a mistake: its result must be wrong
    std::vector<std::string> engines{}; // engines that run it ("simt", "cuda"); empty: all
    std::string edited{};               // variant whose source was edited; empty: none
    std::string varies{};               // why results and counts differ between runs on a GPU
    std::string tradeoff{};             // why it does not cost less than the previous rung
    // For a guessed launch: the assumed memory contents ("in: waves").
    std::vector<std::string> assumed{};
    std::vector<std::string> doubtful{}; // buffers whose sizes or contents the source leaves open
    std::vector<std::string> guessed_sizes{}; // buffers whose sizes main() does not give
    std::size_t index = 0;                    // index in Lab::variants

    bool is_guessed() const { return !assumed.empty(); }
    bool runs_on(device::Engine engine) const;
};

// A routine of an NVIDIA library for the same task, measured for comparison.
struct Peer {
    std::string name{};    // "cublas_geam": one of compute/cuda/peers
    std::string variant{}; // variant that provides its input, its amount of work and its check
    // Peer's parameter names → buffer names, or expressions for numbers.
    std::map<std::string, std::string> takes{};
    std::string note{}; // how the library routine is more general than the lab's kernels
    std::string when{}; // expression: conditions under which it is comparable; empty: always
};

// A preset: named parameter values, and what to display with them.
struct Preset {
    std::string title{};
    std::string variant{}; // empty: keep the current one
    std::string view{};    // one of Lab::views; empty: keep the current one
    std::string map{};     // heatmap over the picture; empty: keep the current one
    std::string show{};    // "picture", "memory", …; empty: keep the current one
    std::map<std::string, std::string> values{};
};

// A ratio from the trace of a step that can be plotted.
enum class Ratio : std::uint8_t {
    sectors_per_load,      // per global load request: 4 at best for 32 contiguous 4-byte words
    sectors_per_store,     // per global store request
    sectors_over_ideal,    // global sectors moved / sectors needed by the lanes
    wavefronts_over_ideal, // shared-memory wavefronts / wavefronts needed without conflicts
    lanes_per_instruction, // active lanes per warp instruction, 32 at best
    instructions_per_item, // warp instructions per item of Work
    bytes_per_item,        // bytes in global sectors moved per item of Work
};

// A parameter worth sweeping: plots bandwidth and counts over its values.
struct Sweep {
    std::string title{};
    std::string parameter{};
    std::vector<std::string> values{};   // in the syntax of Values::set(), in plot order
    std::vector<std::string> variants{}; // variants it applies to; empty: all
    std::vector<Ratio> ratios{Ratio::sectors_per_load,
                              Ratio::sectors_over_ideal}; // the ratios to plot
    // Values of other parameters during the sweep, overriding the user's: large enough to be timed
    // on a GPU, small enough to be counted quickly on simt.
    std::map<std::string, std::string> on_gpu{};
    std::map<std::string, std::string> on_simt{};
    std::size_t simt_values = SIZE_MAX; // number of leading values small enough for simt
    // Value for the x axis instead of the parameter: a number of the record, which may differ
    // between variants. Empty: the parameter.
    std::string number{};
    std::string number_title{}; // including its unit
    // Expected relation: proportional to that number, up to a limit. Empty: none.
    std::string law{};

    bool covers(std::string_view variant) const;
};

// The criterion by which a lab's variants are judged, per step: a ratio of counts or an expression
// over the record's values, with its ideal.
struct Judged {
    std::optional<Ratio> ratio{};
    std::string value{};           // expression, if there is no ratio …
    std::string unit{};            // … and its unit, in the singular: "block"; or "%"
    std::string meaning{};         // "of the threads have a cell"
    std::string ideal{};           // expression; empty: the ratio's own ideal, if any
    bool has_ideal = true;         // false: no variant comes near the ratio's own ideal
    std::string ideal_of{};        // the items that make up the ideal: "a load and an addition"
    bool higher_is_better = false; // expressions only
    bool leads = false;            // displayed as the largest number
};

// Initial display of a lab, and the criterion for its variants.
struct Opening {
    std::string variant{};                       // empty: the first
    std::string against{};                       // initial comparison; empty: the next rung
    bool compare = false;                        // begins with this comparison on screen
    std::map<std::string, std::string> values{}; // parameters, where they differ from `initial`
    std::string show{};      // replaces the picture, as in a preset; empty: picture
    std::string view{};      // one of Lab::views; empty: the first
    std::string map{};       // heatmap over the picture; empty: none
    std::string first_map{}; // first heatmap to show when the user asks for one; empty: any
    bool tree_block = false; // show the data exchange tree of a whole block
    // The displayed request is the one with the highest excess among these accesses.
    trace::Scope request_of = trace::Scope::all;
    // Should decrease from rung to rung; nullopt: the cost of the lab's subject.
    std::optional<Judged> cost{};
    std::string no_ladder{}; // why the variants don't form a ladder, if they don't
};

// Useful work of one step() (that is, Variant::steps simulated steps): the minimum that the
// algorithm must move and compute, the same for all variants.
struct Work {
    double bytes = 0; // read once + written once
    double flops = 0;
    double items = 0;
    std::string item{}; // "cells", "pixels", "bytes"
};

struct Check {
    double max_error = 0;
    double tolerance = 0;
    bool correct = false;  // false if there is any NaN
    std::string message{}; // for a wrong result: location of the worst element
};

// A mouse stroke on the picture; u, v in [0, 1] from its lower left corner.
struct Stroke {
    double u = 0;
    double v = 0;
    double radius = 0.05; // in picture widths
    bool erase = false;
};

// A running lab on one device. Everything is queued on the device's stream; only check() waits.
// Memory shared with OpenGL must be mapped for step(), recount(), picture(), paint() and check(),
// but not for construction, select() and set().
class Experiment {
public:
    virtual ~Experiment() = default;
    virtual void select(const Variant& variant) = 0; // applies to the next step; the state is kept
    virtual void set(const Values& values) = 0;      // parameters that need no restart
    virtual void
    step(trace::Trace* trace = nullptr) = 0; // one step of the variant, without other launches
    // Launches the variant's kernel again for counting only; the state doesn't change.
    virtual void recount(trace::Trace& trace) = 0;
    // Simulated steps so far; one step() does Variant::steps of them.
    virtual std::int64_t steps() const = 0;
    // Number of step() calls per frame of the window.
    virtual int steps_per_frame() const { return 1; }
    virtual Picture picture(std::string_view view) = 0; // may launch the lab's drawing kernel
    virtual void paint(const Stroke&) {}
    virtual Check
    check() = 0; // compares the state with a double-precision reference run from the same start
    // Checks another program's result of the last step, such as a peer's.
    virtual Check check(std::span<const std::byte> result) = 0;
    virtual Work work_per_launch() const = 0;
    // Kernel and launch shape of the variant's (main) launch, for occupancy and views.
    struct Shape {
        const device::Kernel* kernel = nullptr;
        Dim3 grid;
        Dim3 block;
        std::uint32_t dynamic_shared_bytes = 0;
        int launches_per_step = 1;
    };
    virtual Shape shape() const = 0;
    // Destination of the next step()'s result, for maps of which warp wrote which element: width ×
    // height elements, row 0 at the bottom of the picture. If both buffer and image are null, the
    // result is not such an array.
    struct Result {
        const device::Buffer* buffer = nullptr;
        const device::Image* image = nullptr; // surface that is written instead of a buffer
        std::size_t offset_bytes = 0;
        int element_bytes = 4;
        int width = 0;
        int height = 1;
        int stored_height = 1; // number of rows stored here, starting from row 0

        // Request for a trace that records which warp stored each element; memory must be mapped.
        trace::Footprint footprint() const;
    };
    virtual Result next_result() const { return {}; }
    // Memory that the variant's next step() reads and writes, most informative first, for maps of
    // accesses.
    struct Memory {
        std::string name; // name in kernel and lesson
        const device::Buffer* buffer = nullptr;
        std::size_t bytes = 0;     // size from the start of the part
        std::size_t row_bytes = 0; // size of a row; 0: one-dimensional
    };
    virtual std::vector<Memory> memory() const { return {}; }
    // A warning if the selected values have a surprising effect ("unstable: …"); otherwise empty.
    virtual std::string warning() const { return {}; }
    // Memory by its name in the record; null for other names.
    virtual const device::Buffer* buffer(std::string_view name) const = 0;
    // Evaluates an expression over the record's parameters and values, for the selected variant.
    // Throws Error (bad_usage) for any other text.
    virtual double number(const std::string& expression) const = 0;
};

struct Setup {
    device::Device& device;
    device::Allocator& shown; // allocates memory that is drawn
    const Lab& lab;
    const Variant& variant;
    Values values;
    std::uint64_t seed = 1;
    std::filesystem::path
        image; // the user's picture, for labs that take one; empty: a generated one
};

struct Record;
struct Texts;

// Files of a lab's folder: source, lesson, PTX. Throws Error.
using Files = std::function<std::string_view(std::string_view name)>;

struct Lab {
    std::string id{}; // name of its folder
    // Key for find(): its id, its folder's path, or the name given by open_texts().
    std::string place{};
    std::string title{};
    std::string question{}; // the question that it answers, one sentence
    int order = 0;          // position in lists
    std::vector<Parameter> parameters{};
    std::vector<Variant> variants{};
    std::vector<Preset> presets{};
    std::vector<std::string> views{}; // "field", "surface", …; the first is the default
    Opening opens{};
    std::vector<Sweep> sweeps{};
    bool takes_image = false; // reads Setup::image
    // Stands in for a file without a readable kernel; launches nothing.
    bool placeholder = false;
    std::string tolerance_reason{};
    // Parameter values of the problem sizes that tests and the benchmark use for every variant.
    std::vector<std::map<std::string, std::string>> test_sizes{};
    std::map<std::string, std::string> l2_sized{};
    std::map<std::string, std::string> dram_sized{};
    std::vector<Peer> peers{};
    std::shared_ptr<const Record> record{}; // run by the experiment
    Files files{};
    std::shared_ptr<const Texts> texts{}; // sources (texts.h); null: none
    // Measured operation rate that bounds it: "fma" (multiply-adds) or "add_min" (pairs of addition
    // and minimum); empty: bound by memory.
    std::string rate{};

    std::unique_ptr<Experiment> start(const Setup& setup) const;
    const Variant* find_variant(std::string_view id) const;
    const Variant& opening_variant() const;
    // nullopt if there is no such view.
    std::optional<ViewKind> kind_of_view(std::string_view id) const;
    // The variant's view of that kind; empty if it has none.
    std::string_view view_of_kind(const Variant& variant, ViewKind kind) const;
    const Parameter* find_parameter(std::string_view id) const;
    // Variants with their own number, from 1. Variants that correct the previous one have none.
    std::vector<const Variant*> rungs() const;
    // Maps a faulty variant to its corrected one and back; null for others.
    const Variant* counterpart(const Variant& variant) const;
    std::string_view lesson() const;                       // lesson.md
    std::string_view source(const Variant& variant) const; // the .cu source as displayed
    std::string_view ptx(const Variant& variant) const;
    // Compiler messages for compiled source; empty for precompiled kernels.
    std::string_view compiler_log(const Variant& variant) const;
    std::string_view
    file(std::string_view name) const; // any file of the lab's folder; throws Error
    // The place of the lab that the sources overlay; the lab's own place if it has no sources.
    const std::string& origin() const;
};

// Built-in labs, in order.
std::span<const Lab> all();
// Built-in labs, and those found in folders so far; without labs made of sources.
std::vector<const Lab*> listed();
// Finds a lab by id, by the key that open_texts() assigned, or by the path of a folder with a
// lab.json (read on first use only). Throws Error: no_such_thing with the available ids, or
// bad_usage with the error in the record.
const Lab& find(std::string_view id_or_folder);
const Variant& find_variant(const Lab& lab, std::string_view id);
// Keeps a lab, with its variants and Values, alive beyond a call. Null for permanent labs.
std::shared_ptr<const Lab> held(const Lab& lab);

// Compiler output for source: its PTX, and its messages with their lines.
struct CompiledText {
    CompiledText(std::string ptx_text, std::string messages = {})
        : ptx(std::move(ptx_text)), log(std::move(messages))
    {
    }
    std::string ptx;
    std::string log;
};

// Compiles CUDA C++ to PTX. `name` appears in messages and in the PTX's line table. `folder` is the
// folder on disk whose headers the source may include; empty if there is none.
using Compiler = std::function<CompiledText(
    std::string_view text, const std::filesystem::path& name, const std::filesystem::path& folder)>;

// Sets the compiler for kernels of labs in folders or sources, which are compiled on first use.
// Call once, before the first such lab is looked up.
void compile_with(Compiler compiler);

constexpr const char* record_file = "lab.json"; // in a lab's folder
// True if the path is a folder that contains one.
bool is_lab_folder(const std::filesystem::path& folder);

} // namespace lanescope::labs
