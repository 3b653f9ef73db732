// Whole kernels, identified by file and name.
#include <random>

#include "tests/conformance/kernel_case.h"
#include "tests/conformance/values.h"

namespace lanescope::conformance {

namespace {

constexpr std::uint32_t threads = 640; // five blocks of 128, unless a kernel says otherwise

Bytes random_words(std::size_t count, int bytes_each, std::uint64_t mask = ~std::uint64_t{0})
{
    std::mt19937_64 random(17);
    std::vector<std::uint64_t> values(count);
    for (auto& value : values) value = random() & mask;
    return to_bytes(values, bytes_each);
}

// Numbers between -8 and 8 with few significant bits.
Bytes random_floats(std::size_t count)
{
    std::mt19937_64 random(19);
    Bytes bytes;
    for (std::size_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(static_cast<int>(random() % 2048) - 1024) / 128.0f;
        const auto raw = std::as_bytes(std::span(&value, 1));
        bytes.insert(bytes.end(), raw.begin(), raw.end());
    }
    return bytes;
}

Bytes edge_values(std::string_view type)
{
    return to_bytes(inputs({{type}}, threads)[0], Operand{type}.bytes());
}

Output words(std::size_t count, int bytes_each = 4)
{
    return {count * static_cast<std::size_t>(bytes_each), Element::bits, {}};
}

class Cases {
public:
    Cases(std::vector<Case>& cases, std::string group, std::string source)
        : cases_(cases), group_(std::move(group)), source_(std::move(source))
    {
    }

    Case& add(const char* kernel, std::vector<Output> outputs,
              std::vector<Bytes> inputs = {random_words(threads, 4)})
    {
        Case made;
        made.group = group_;
        made.name = kernel;
        made.source = "tests/conformance/kernels/" + source_;
        made.kernel = kernel;
        made.grid = {5, 1, 1};
        made.block = {128, 1, 1};
        made.outputs = std::move(outputs);
        made.inputs = std::move(inputs);
        cases_.push_back(std::move(made));
        return cases_.back();
    }

private:
    std::vector<Case>& cases_;
    std::string group_;
    std::string source_;
};

void add_flow(std::vector<Case>& cases)
{
    Cases flow(cases, "control_flow", "control_flow.cu");
    for (const char* kernel :
         {"nested_branches", "collatz", "switches", "early_returns", "short_circuit"})
        flow.add(kernel, {words(threads)});
    Cases functions(cases, "functions", "functions.cu");
    functions.add("structs_by_value", {words(threads), words(threads, 8)});
    for (const char* kernel : {"recursion", "function_pointers", "local_arrays", "virtual_calls"})
        functions.add(kernel, {words(threads)});
}

void add_warps(std::vector<Case>& cases)
{
    Cases warps(cases, "warps", "warps.cu");
    for (const char* kernel :
         {"shuffles", "votes", "parts_of_warps", "warp_scan", "exchange_through_shared"})
        warps.add(kernel, {words(threads)});
    warps.add("wide_shuffles", {words(threads, 8), words(threads, 8)}, {random_words(threads, 8)});
    Cases newer(cases, "sm_80", "sm_80.ptx");
    newer.add("warp_reductions", {words(threads * 8)});
    newer.add("asynchronous_copies", {words(512)}, {random_words(512, 4)}).grid = {1, 1, 1};
    newer.add("branch_tables", {words(threads)});
    newer.add("elected_lane", {words(128)}, {}).grid = {1, 1, 1};
}

void add_blocks(std::vector<Case>& cases)
{
    Cases shared(cases, "shared_memory", "shared_memory.cu");
    Case& transpose = shared.add("transpose_tile", {words(4096)}, {random_words(4096, 4)});
    transpose.grid = {4, 4, 1};
    transpose.block = {16, 16, 1};
    shared.add("block_sum", {words(5)});
    shared.add("bitonic_sort", {words(threads)}).dynamic_shared_bytes = 512;
    shared.add("histogram", {words(32)});
    Case& multiply =
        shared.add("multiply_tiles", {words(1024)}, {random_floats(1024), random_floats(1024)});
    multiply.grid = {4, 4, 1};
    multiply.block = {8, 8, 1};
    shared.add("counted_barriers", {words(threads)});
    shared.add("producer_consumer", {words(320)});

    Cases atomics(cases, "atomics", "atomics.cu");
    atomics.add("own_cells", {words(threads), words(threads)});
    atomics.add("own_wide_cells", {words(threads, 8), words(threads, 8)},
                {random_words(threads, 8)});
    atomics.add("contended", {words(24)});
    atomics.add("floating_sums", {words(6), words(1, 8)});
    atomics.add("shared_cells", {words(40)});
    atomics.add("last_block_sums", {words(1), words(5)});
}

void add_cooperation(std::vector<Case>& cases)
{
    Cases cooperation(cases, "cooperation", "cooperation_sm_90.cu");
    cooperation.add("grid_rounds", {words(threads)});
    cooperation.add("grid_sum", {words(5), words(1)});
    cooperation.add("heap_lists", {words(threads)});
    cooperation.add("handed_over", {words(threads)});
    cooperation.add("barrier_states", {words(1024)}, {}).grid = {1, 1, 1};
    cooperation.add("copies_arrive", {words(512)}, {random_words(512, 4)}).grid = {1, 1, 1};
    cooperation.add("dependent_launch", {words(threads)});
}

void add_bulk_copies(std::vector<Case>& cases)
{
    Cases bulk(cases, "bulk_copies", "bulk_sm_90.cu");
    const auto add = [&](const char* kernel, std::vector<Output> outputs, Bytes input) {
        bulk.add(kernel, std::move(outputs), {std::move(input)});
    };
    add("there_and_back", {words(threads)}, random_words(threads, 4));
    add("ring", {words(threads)}, random_words(threads, 4));
    add("within_block", {words(threads)}, random_words(threads, 4));
    for (const char* kernel : {"integer_updates", "real_updates"}) {
        const bool real = kernel[0] == 'r';
        add(kernel, {words(15 * 128)}, real ? edge_values("f32") : random_words(128, 4));
        cases.back().grid = {1, 1, 1};
    }
}

void add_clusters(std::vector<Case>& cases)
{
    Cases clusters(cases, "cooperation", "clusters_sm_90.cu");
    const auto add = [&](const char* kernel, std::size_t results, Dim3 grid, bool reads = true) {
        std::vector<Bytes> inputs;
        if (reads) inputs.push_back(random_words(grid.count() * 128, 4));
        Case& made = clusters.add(kernel, {words(results)}, std::move(inputs));
        made.grid = grid;
        return &made;
    };
    add("cluster_histogram", 8 * 64, {8, 1, 1});
    add("cluster_ring", 16 * 128, {16, 1, 1});
    add("cluster_sum", 4 * 4 * 4, {4, 4, 1});
    add("cluster_places", 4 * 2 * 4 * 24, {4, 2, 4}, false)->block = {1, 1, 1};
    add("cluster_mail", 8 * 128, {8, 1, 1});
}

void add_memory(std::vector<Case>& cases)
{
    Cases memory(cases, "memory", "memory.cu");
    memory.add("widths",
               {words(threads, 1), words(threads, 2), words(threads, 8), words(threads, 16),
                words(threads, 16)},
               {random_words(threads, 1), random_words(threads, 2), random_words(threads, 8),
                random_floats(threads * 4)});
    for (const char* kernel : {"spaces", "generic_pointers", "cached_loads"})
        memory.add(kernel, {words(threads)});
    memory.add("packed_structs", {words(threads)}, {random_words(threads * 7, 1)});
    Case& grid = memory.add("grid_of_three", {words(3 * 2 * 2 * 90)}, {});
    grid.grid = {3, 2, 2};
    grid.block = {5, 6, 3};
}

void add_mathematics(std::vector<Case>& cases)
{
    Cases mathematics(cases, "mathematics", "mathematics.cu");
    mathematics.add("exact_f32", {{threads * 64, Element::f32, {}}}, {edge_values("f32")});
    // These functions are built on approximate instructions such as ex2.approx and lg2.approx.
    mathematics.add("approximate_f32", {{threads * 32, Element::f32, {}}},
                    {random_floats(threads)});
    const Tolerance any_nan{Tolerance::Kind::any_nan};
    mathematics.add("exact_f64", {{threads * 96, Element::f64, any_nan}}, {edge_values("f64")});
    mathematics.add("integers", {words(threads, 8)}, {edge_values("u32")});
    // hdiv and hsqrt start with an approximation and round it to f16.
    mathematics.add("halves", {{threads * 20, Element::f16, {}}}, {edge_values("f32")});
}

} // namespace

void add_kernel_cases(std::vector<Case>& cases)
{
    add_flow(cases);
    add_warps(cases);
    add_blocks(cases);
    add_cooperation(cases);
    add_bulk_copies(cases);
    add_clusters(cases);
    add_memory(cases);
    add_mathematics(cases);
}

} // namespace lanescope::conformance
