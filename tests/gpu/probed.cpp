// Launch shapes of the probed kernels, and their input.
#include "tests/gpu/probed.h"

#include <random>

namespace lanescope::gpu_tests {

std::vector<Shape> shapes()
{
    std::vector<Shape> all;
    for (const char* name :
         {"copy_unit",         "copy_strided",        "copy_offset",      "gather_random",
          "load_same",         "early_return",        "divergent_loop",   "unrolled_loop",
          "loop_with_break",   "nested_branches",     "switch_table",     "guarded_accesses",
          "vector_widths",     "narrow_widths",       "double_width",     "read_only_cache",
          "atomics_no_result", "atomics_with_result", "atomics_wide",     "shared_strides",
          "shared_vectors",    "shared_transpose",    "shared_atomics",   "warp_sum",
          "device_function",   "recursion",           "generic_pointers", "local_array",
          "whole_warps_leave"})
        all.push_back({name});
    all.push_back({"block_reduction", {20, 1, 1}, {256, 1, 1}, 1024});
    all.push_back({"interleaved_reduction", {20, 1, 1}, {200, 1, 1}, 800});
    all.push_back({"odd_block", {3, 2, 2}, {5, 3, 7}});
    all.push_back({"divergent_loop", {33, 1, 1}, {45, 1, 1}});
    all.push_back({"copy_unit", {1, 1, 1}, {1, 1, 1}});
    return all;
}

std::vector<unsigned> random_words()
{
    std::mt19937 generator(7);
    std::vector<unsigned> values(words);
    for (unsigned& value : values) value = static_cast<unsigned>(generator());
    return values;
}

std::vector<LabCase> lab_cases()
{
    std::vector<LabCase> cases;
    for (const labs::Lab& lab : labs::all())
        for (const labs::Variant& variant : lab.variants)
            if (variant.fault.empty() && variant.runs_on(device::Engine::cuda))
                cases.push_back({&lab, &variant});
    return cases;
}

} // namespace lanescope::gpu_tests
