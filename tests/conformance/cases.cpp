// The list of all cases.
#include <algorithm>

#include "tests/conformance/case.h"
#include "tests/conformance/instruction.h"
#include "tests/conformance/kernel_case.h"

namespace lanescope::conformance {

const std::vector<Case>& all_cases()
{
    static const std::vector<Case> cases = [] {
        std::vector<Case> made;
        add_integer_cases(made);
        add_bit_cases(made);
        add_float_cases(made);
        add_approximate_cases(made);
        add_half_cases(made);
        add_comparison_cases(made);
        add_conversion_cases(made);
        add_video_cases(made);
        add_flushing_cases(made);
        add_newer_cases(made);
        add_matrix_cases(made);
        add_sparse_cases(made);
        add_wgmma_cases(made);
        add_kernel_cases(made);
        add_texture_cases(made);
        add_shape_cases(made);
        return made;
    }();
    return cases;
}

std::vector<std::string> all_groups()
{
    std::vector<std::string> groups;
    for (const Case& test : all_cases())
        if (test.recorded && std::ranges::find(groups, test.group) == groups.end())
            groups.push_back(test.group);
    return groups;
}

} // namespace lanescope::conformance
