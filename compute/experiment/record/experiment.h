// Runs any record: fills memory, performs steps of one or many launches, and draws and checks the
// result.
#pragma once

#include <any>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compute/device/graphs.h"
#include "compute/device/group.h"
#include "compute/experiment/lab/kernels.h"
#include "compute/experiment/lab/lab.h"
#include "compute/experiment/record/element_view.h"
#include "compute/experiment/record/elements.h"
#include "compute/experiment/record/expression.h"
#include "compute/experiment/record/frame_calls.h"
#include "compute/experiment/record/named.h"
#include "compute/experiment/record/record.h"
#include "compute/experiment/record/timeline.h"

namespace lanescope::labs {

class RecordedExperiment : public Experiment {
public:
    explicit RecordedExperiment(const Setup& setup);
    ~RecordedExperiment() override;

    void select(const Variant& variant) override;
    void set(const Values& values) override;
    void step(trace::Trace* trace) override;
    void recount(trace::Trace& trace) override;
    std::int64_t steps() const override { return steps_; }
    int steps_per_frame() const override;
    Picture picture(std::string_view view) override;
    void paint(const Stroke& stroke) override;
    Check check() override;
    Check check(std::span<const std::byte> result) override;
    Work work_per_launch() const override;
    Shape shape() const override;
    Result next_result() const override;
    std::vector<Memory> memory() const override;
    std::string warning() const override;
    const device::Buffer* buffer(std::string_view name) const override;
    double number(const std::string& expression) const override;
    // Returns the bytes that check() compares, so that another experiment can check them.
    std::vector<std::byte> result();

private:
    class RecordScope;
    // One variant with its plan and the evaluator of its record's formulas.
    struct Run {
        const Variant* variant = nullptr;
        const Plan* plan = nullptr;
        Evaluator numbers{};
        std::set<std::string> used{};       // buffers and images
        bool follows_steps = false;         // a value changes from step to step
        bool several = false;               // a step loops, swaps or launches more than once
        bool timeline = false;              // a view shows the times of its operations
        bool draws = false;                 // a step presents frames
        std::set<std::string> shared{};     // OpenGL's memory that a step uses …
        std::set<std::string> registered{}; // … and registers itself
    };
    // The memory behind one name; swapped names exchange their slots.
    struct Slot {
        std::shared_ptr<device::Buffer> memory{};              // shared with pictures of it
        std::vector<std::unique_ptr<device::Buffer>> others{}; // copies on devices 1 and up
        std::string contents{};                                // describes its initial contents
        std::size_t leading_bytes = 0;
        std::size_t wanted_leading_bytes = 0;
        std::size_t bytes = 0; // size of the contents
        bool fresh = false;    // must be filled before the next launch

        // Returns the slot's memory. Throws Error if there is none because its allocation failed.
        device::Buffer& held() const;
    };
    struct Shape3 {
        ElementType type;
        std::vector<std::int64_t> extents;
        std::size_t count = 0;
        std::size_t front = 0; // in elements
    };
    struct Part {
        ElementType type;
        std::size_t offset = 0; // in elements, from the start of the memory
        std::size_t count = 0;
        int width = 0;
        int height = 1;
    };
    struct Bytes {
        std::size_t first = 0;
        std::size_t count = 0;
    };
    // A copy between devices.
    struct Passage {
        int from = 0;
        int to = 0;
        int stream = 0;
        device::Address from_address = 0;
        device::Address to_address = 0;
        std::size_t bytes = 0;
    };
    struct Event {
        std::int64_t step = 0;
        Run* run = nullptr;
        std::vector<double> numbers{};
        std::optional<Stroke> stroke{}; // nullopt: a change of parameters
        Values values;
    };
    // Memory from which a view draws a buffer's elements.
    struct Canvas {
        std::shared_ptr<device::Buffer> memory{};
        std::shared_ptr<device::Image> image{};
    };

    struct GraphKey {
        const Action* action = nullptr;
        std::vector<double> numbers{};
        std::vector<device::Address> memory{};
        auto operator<=>(const GraphKey&) const = default;
    };
    struct Captured {
        std::unique_ptr<device::Graph> graph{};
        std::map<std::string, Slot*> places{}; // after the graph's swaps
    };

    Run& run_of(const Variant& variant);
    void refresh(Run& run);
    void evaluate(Run& run, const ValuePlan& value);
    void enter(Run& run);
    void take_memory(Run& run);
    void require_memory(Run& run);
    void require_devices(Run& run);
    void allocate_others(const BufferPlan& buffer, Slot& place, std::size_t bytes);
    Shape3 shape_of(Run& run, const BufferPlan& buffer) const;
    std::size_t buffer_bytes(Run& run, const BufferPlan& buffer) const;
    std::size_t max_bytes_of(const std::string& name);
    std::size_t bytes_to_allocate(const BufferPlan& buffer, std::size_t bytes);
    void fill_pending();
    void upload(device::Address to, std::span<const std::byte> bytes);
    Data filled(Run& run, const FillPlan& fill, ElementType type,
                const std::vector<std::int64_t>& extents, const std::string& where) const;
    std::span<const std::byte> with_addresses(Run& run, const FillPlan& fill,
                                              std::span<const std::byte> bytes,
                                              std::vector<std::byte>& moved) const;
    void move_addresses(Run& run, std::span<std::byte> bytes) const;
    Evaluator with_inputs(Run& run, const Formula& formula) const;
    void begin();

    bool walk(Run& run, const std::vector<Action>& actions,
              const std::function<bool(const Action&)>& visit, bool whole_graphs = false) const;
    void execute(const std::vector<Action>& actions, trace::Trace* trace);
    void perform(Run& run, const Action& action, trace::Trace* trace);
    HostCall call_of(const Run& run, const Action& action) const;
    bool call_opengl(const Run& run, const Action& action);
    void require_mapped(const Run& run, const Action& action) const;
    void launch_graph(Run& run, const Action& action);
    void perform_all(Run& run, const std::vector<Action>& actions);
    void collect();
    int existing_device(Run& run, const Formula& formula) const;
    int device_of(Run& run, const Action& action) const;
    static int stream_of(Run& run, const Formula& formula);
    static int stream_of(Run& run, const std::optional<Formula>& formula);
    Bytes copied_bytes(Run& run, const Action& action, std::size_t all);
    void choose_queue(Run& run, const Action& action);
    void copy_host(Run& run, const Action& action);
    Passage passage(Run& run, const Action& action);
    void bring_to_host(Run& run, const Action& action);
    void bring_from_host(Run& run, const Action& action);
    void copy_on_device(Run& run, const Action& action);
    void upload_structure(Run& run, const Action& action);
    void fill_zero(Run& run, const Action& action);
    void perform_logged(Run& run, const Action& action);
    void execute_logged(Run& run);
    std::uint64_t host_bytes(Run& run, const Action& action);
    void measure_frames(Run& run);
    void measure_isolated(Run& run);
    device::HostMemory* host_memory(const std::string& name) const;
    void launch(Run& run, const LaunchPlan& plan, trace::Trace* trace, int device = 0);
    const std::vector<std::string>& parameter_names(const LaunchPlan& plan,
                                                    const device::Kernel& kernel);
    trace::Fault fault_of(const device::LaunchError& refused, const std::string& file,
                          const device::Kernel& kernel, const device::Launch& launch) const;
    device::Launch shape_launch(Run& run, const LaunchPlan& plan) const;
    const device::Kernel& kernel_of(Run& run, const LaunchPlan& plan, int device = 0) const;
    Kernels& kernels_on(int device) const;
    const device::Buffer& memory_on(const std::string& name, int device) const;
    void fill_variables(Run& run);
    void fill_variable(Run& run, const std::string& variable, const std::string& buffer);
    std::vector<std::int32_t> download_integers(const std::string& name, std::size_t offset,
                                                std::size_t count) const;
    std::vector<std::byte> argument(Run& run, const ArgumentPlan& plan, std::size_t bytes,
                                    int device = 0);
    std::vector<std::byte> number_argument(Run& run, const ArgumentPlan& plan, std::size_t bytes);
    const device::Texture& texture(Run& run, const ArgumentPlan& plan);
    std::vector<std::byte> tensor_map(Run& run, const ArgumentPlan& plan, int device);
    void run_step(trace::Trace* trace);
    void exchange();

    void make_canvases();
    ElementShape element_shape(Run& run, const ViewPlan& view) const;
    Picture picture_of_elements(Run& run, const ViewPlan& view);
    Picture picture_of_tiles(Run& run, const ViewPlan& view);
    Picture picture_of_timeline(const Run& run);
    Picture picture_of_dots(Run& run, const ViewPlan& view);
    Picture picture_of_labels(Run& run, const ViewPlan& view);
    Picture picture_of_slots(Run& run, const ViewPlan& view);
    Picture picture_of_part(Run& run, const ViewPlan& view);
    Check against_variant(std::span<const std::byte> got);

    Part part_of(Run& run, const PartPlan& part) const;
    static void require_room(const PartPlan& plan, const Slot& place, std::size_t bytes,
                             ViewKind kind);
    std::size_t first_element(Run& run, const PartPlan& plan, const Part& part,
                              std::size_t elements) const;
    const BufferPlan* buffer_plan(const Run& run, std::string_view name) const;
    Slot& slot(const std::string& name) const { return *memory_.places.at(name); }
    device::Image* image(const std::string& name) const;
    // The run (variant and numbers) that produced the current memory contents.
    Run& made() const { return made_by_ ? *made_by_ : *run_; }
    // The slot that held that variant's buffer, even if the variant
    // selected now uses a different slot.
    const Slot& replaced_slot(const std::string& name) const;
    void replace(Slot& place);
    Check compared(std::span<const std::byte> got);
    std::vector<double> wanted(Run& run, const Part& part);
    const std::vector<double>& follow(Run& run);

    device::Device& device_;
    std::shared_ptr<device::Streams> streams_;
    device::Graphs* graphs_;      // null: the device has none
    mutable device::Group group_; // declared before everything allocated on its devices
    device::Allocator& shown_;
    const Lab& lab_;
    std::shared_ptr<const Lab> held_;
    std::shared_ptr<const Record> record_;
    mutable Kernels kernels_;
    mutable std::vector<std::unique_ptr<Kernels>> kernels_of_others_; // index 0 is device 1
    Values values_;
    std::uint64_t seed_;
    std::filesystem::path user_image_;

    std::map<const Variant*, std::unique_ptr<Run>> runs_;
    Run* run_ = nullptr;
    FrameCalls frame_calls_; // its context outlives the memory below
    double frame_ms_ = 0;
    // Buffers and images by name, with the textures and canvases made of them.
    struct NamedMemory {
        std::map<std::string, Slot> slots;
        std::map<std::string, Slot*> places;
        std::map<std::string, std::shared_ptr<device::Image>> images;
        std::map<std::pair<std::string, ViewKind>, Canvas> canvases; // keyed by view
        std::set<std::string> fresh_images;
        std::set<std::string> drawn; // buffers and images shown by a view, and their swap partners
        std::map<std::tuple<std::string, std::string, int, bool, bool>,
                 std::unique_ptr<device::Texture>>
            textures;
        // The slots as they were when the last step used them.
        std::map<const Slot*, Slot> replaced_slots;
    };
    NamedMemory memory_;
    mutable std::map<std::pair<const LaunchPlan*, int>, const device::Kernel*> launched_;
    std::unordered_map<const ArgumentPlan*, ElementType> argument_types_;
    std::unordered_map<const device::Kernel*, std::vector<std::string>> parameter_names_;
    std::map<std::pair<std::string, std::string>, std::string> constants_; // current contents
    struct HostSide {
        std::map<std::string, std::vector<std::byte>> copies;
        std::map<std::string, std::unique_ptr<device::HostMemory>> memory; // of buffers with "host"
        std::unique_ptr<device::HostMemory> passing; // staging buffer for device-to-device copies
                                                     // through the host
    };
    HostSide host_side_;
    std::map<GraphKey, Captured> captured_;
    TimelineLog timeline_;
    // Parameters and variant for which the isolated timings were measured.
    struct IsolatedTimes {
        std::vector<double> values;
        const Variant* variant = nullptr;
    };
    IsolatedTimes times_;
    // Computed numbers by name; the variant's run for those that depend on it, otherwise null.
    std::map<std::pair<std::string, const Run*>, double> computed_;
    mutable std::map<std::string, std::any> kept_;
    struct State {
        bool begun = false;
        bool pending = true;
        bool scattered = true; // contents of other devices are up to date
        bool gathered = true;  // memory that is drawn and compared is up to date
    };
    State state_;

    mutable int rounds_ = 0; // total loop iterations in this step
    std::int64_t steps_ = 0;
    Run* made_by_ = nullptr;
    std::vector<double> made_numbers_;

    // Changes of parameters so far, for references that advance step by step.
    struct Past {
        std::map<std::string, double> largest; // maximum of each parameter
        std::vector<Event> log;
        std::vector<double> logged;
        std::optional<std::vector<double>> reference;
        std::int64_t reference_steps = 0;
        std::size_t reference_events = 0;
        std::size_t conditions = 0; // index of the event whose numbers apply
    };
    Past past_;
};

} // namespace lanescope::labs
