// A kernel as a variant of the guessed record, derived from its signature, PTX and source on
// construction.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compute/experiment/guess/roles.h"
#include "compute/experiment/guess/sliders.h"
#include "compute/experiment/source/source_text.h"
#include "compute/experiment/source/words.h"
#include "compute/ptx/text/module.h"
#include "compute/ptx/uses/uses.h"

namespace lanescope::labs::guessing {

class Kernel {
public:
    Kernel(Sliders& sliders, const SourceText& source, const ptx::KernelUse& use,
           const std::map<std::string, const ptx::Variable*>& tables);

    const std::string& name() const { return name_; }
    std::string types() const; // the parameter types as one text
    const std::string& result() const { return result_; }
    const Json& test_sizes() const { return made_.sizes; }
    bool takes_image() const { return takes_image_; }
    // Id of the size to use for a sweep; empty: none.
    const std::string& size() const { return shape_.size; }
    bool flat() const { return !shape_.two_dimensional; }
    bool is_exact() const { return drawn_ && !is_real(drawn_->elements.type); }

    Json variant() const;
    const Json& images() const { return made_.images; }

private:
    struct Parameter {
        std::string name{};
        std::string type{};
        bool pointer = false;
        bool is_const = false;
        const ptx::ParameterUse* use = nullptr;
        Role role = Role::none;
        std::string id{}; // id of the slider, or name of the buffer
        // Pointers only.
        Elements elements{"f32"};
        int channels = 1;
        std::vector<std::string> extents{};
        bool writes() const { return use->written || use->updated; }
        // For a struct field: the index of the parameter that contains it.
        std::optional<std::size_t> whole{};
        const SourceStructure* structure = nullptr; // type of the parameter or its elements
    };

    bool has(std::string_view text) const { return body_.find(text) != std::string::npos; }

    // Signature and block size.
    void read_parameters();
    void add_fields(std::size_t index);
    Json structure(std::size_t index);
    static std::string type_alone(const SourceParameter& declaration);
    Elements elements(const Parameter& one) const;
    static bool is_real_number(const Parameter& one);
    static bool is_whole(const Parameter& one);
    int channels_of(const std::string& name) const;
    std::optional<int> constant_named(std::string_view words, std::string_view except = {}) const;
    std::vector<int> shared_sizes() const;
    void find_block();
    std::vector<int> chosen_block();
    std::vector<int> tiled_block();
    std::vector<int> flat_block() const;
    int dynamic_element_bytes() const;
    static int product(const std::vector<int>& all);
    std::optional<double> known_at_launch(std::size_t index) const;
    std::optional<double> initial_loop_counter(std::size_t index) const;
    static bool is_size(Role role);
    std::string size_slider(const std::string& name, std::int64_t initial, bool flat);
    std::int64_t first_size(std::size_t index, std::int64_t otherwise) const;

    // Sizes, and the resulting extents of each array.
    void find_extents();
    using Bounds = std::array<std::vector<std::size_t>, 3>; // parameters that bound each axis
    void find_plane(const Bounds& bounds);
    void guess_plane(bool only_prints);
    void find_line(const std::vector<std::size_t>& bounds);
    void find_single_block(const std::vector<std::size_t>& bounds);
    void size_single_block(std::size_t index);
    void find_bounded_line(const std::vector<std::size_t>& bounds, std::int64_t initial);
    std::string guessed_line(std::int64_t initial);
    void find_inner_sizes();
    std::optional<std::size_t> with_role(const std::vector<std::size_t>& all, Role role) const;
    std::optional<std::size_t> any_with(Role role) const;
    std::string use_as_size(std::size_t index, std::int64_t initial, std::size_t axis = 0);
    bool find_tile();
    void find_rows();
    // True if the array's addresses depend on the parameter at index `number`.
    bool flows(const Parameter& array, std::size_t number) const;
    bool has_rows_of(const std::string& size) const;
    std::int64_t uneven(std::int64_t size, std::size_t axis) const;
    bool has_inner() const;
    bool any_role(Role role) const;
    // "for (i = threadIdx.x; i < n; i += blockDim.x)"
    bool strided_by_block() const { return has("+=blockDim.x"); }
    std::optional<int> constant_size(std::string_view words, std::string_view except) const;
    static std::string padded(const std::string& size, int block);
    void extend(std::size_t index);
    void extend_as_allocated(std::size_t index);
    bool size_follows_from_main(std::size_t index);
    bool is_allocated_pitch(std::size_t index) const;
    std::optional<std::string> pitch_of_main(std::size_t index);
    std::string bytes_of_pitch(std::size_t index) const;
    std::optional<std::array<int, 2>> launched_threads() const;
    std::optional<std::size_t> covered_parameter(std::size_t axis) const;
    std::optional<std::vector<std::string>> allocated(std::size_t index);
    std::optional<std::string> in_sliders(std::string_view sum, int depth);
    bool has_size() const { return !sizes_used_.empty(); }
    bool two_dimensional_data(const Parameter& one) const;
    static bool is_mask(const Parameter& one);
    std::vector<std::string> mask_extents();
    std::optional<std::string> bins();
    int first_elements(const Parameter& one) const;
    std::int64_t elements_per_thread(std::size_t index) const;
    std::string blocks() const;
    void test_size(std::size_t index);

    // Launch arguments.
    std::string slider(std::size_t index);
    Json argument(std::size_t index);
    int channels() const;
    Json picture(Parameter& one);
    void find_tables(const std::map<std::string, const ptx::Variable*>& tables);

    // Initial memory contents, and what happens between steps.
    void arrange();
    bool is_bitonic() const;
    bool is_bitonic_stage(const Parameter& one) const;
    bool is_counted(const Parameter& one) const { return one.use->updated && !continues(base_); }
    void exchange(bool on);
    Json fill_of(const Parameter& one, bool first);

    // The displayed result and its views.
    void choose_result();
    void draw();
    Json work() const;
    std::string signature() const;

    // Sizes of the launch, as texts that formulas may use.
    struct Shape {
        bool two_dimensional = false;
        bool three_dimensional = false;
        bool quadratic = false; // every element reads all others
        int threads = 256;
        std::string x, y, z;
        std::string inner; // a size that doesn't belong to an axis
        std::optional<std::size_t> inner_index;
        std::string size;
        std::int64_t max_size = 0; // largest size of a single block; 0: no limit
        // Elements of the launch in main(), if they are the size's initial value.
        std::optional<std::int64_t> launched;
        Json block = Json::array();
        Json tile = Json::array();
        Json grid = Json::array();
        Json over = Json::array();
    };
    // Parts of the variant's row in the record.
    struct Row {
        Json buffers = Json::object();
        Json images = Json::object();
        Json constants = Json::object();
        Json variables = Json::object(); // module variables changed by kernels
        Json arguments = Json::array();
        Json before = Json::array();
        Json passes = Json::array();
        Json swap = Json::array();
        Json changes = Json::array();
        Json memory = Json::array();
        Json views = Json::array();
        Json sizes = Json::array();
    };

    Sliders& sliders_;
    const SourceText& source_;
    const ptx::KernelUse& use_;
    std::string name_;
    std::string base_;
    const SourceKernel* text_ = nullptr;
    const SourceLaunch* launch_ = nullptr;
    std::deque<ptx::ParameterUse> field_uses_;
    bool whole_blocks_ = false; // sizes must be multiples of the block
    std::string rows_;          // CSR row-pointer array of a sparse matrix
    std::string walker_;        // name of the loop variable over a row
    std::vector<std::string> assumed_;
    std::vector<std::string> doubtful_;
    std::vector<std::string> guessed_sizes_; // buffers whose sizes main() does not give
    std::string body_;
    std::vector<Parameter> parameters_;
    std::vector<std::size_t> loops_;
    std::set<std::size_t> sizes_used_;
    bool takes_image_ = false;
    Shape shape_;
    std::string swapped_;
    const Parameter* drawn_ = nullptr;
    std::string result_;
    std::string shared_;
    Row made_;
};

} // namespace lanescope::labs::guessing
