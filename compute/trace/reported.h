// The per-launch numbers of a program's report, in the report's order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compute/trace/trace.h"

namespace lanescope::trace {

struct ReportedCounts {
    std::string_view name;
    Counts Totals::*of;
};
inline constexpr std::array reported_counts{
    ReportedCounts{"global_load", &Totals::global_load},
    ReportedCounts{"global_store", &Totals::global_store},
    ReportedCounts{"global_atomic", &Totals::global_atomic},
    ReportedCounts{"shared_load", &Totals::shared_load},
    ReportedCounts{"shared_store", &Totals::shared_store},
    ReportedCounts{"shared_atomic", &Totals::shared_atomic},
};
struct ReportedField {
    std::string_view name;
    std::uint64_t Counts::*field;
};
inline constexpr std::array reported_fields{
    ReportedField{"requests", &Counts::requests},
    ReportedField{"sectors", &Counts::sectors},
    ReportedField{"wavefronts", &Counts::wavefronts},
};
struct ReportedSum {
    std::string_view name;
    std::uint64_t Totals::*sum;
};
inline constexpr std::array reported_sums{
    ReportedSum{"branches", &Totals::branches},
    ReportedSum{"divergent_branches", &Totals::divergent_branches},
    ReportedSum{"warp_instructions", &Totals::warp_instructions},
    ReportedSum{"thread_instructions", &Totals::thread_instructions},
};
// All fields of the counts, then the sums.
inline constexpr std::size_t reported_numbers =
    reported_counts.size() * reported_fields.size() + reported_sums.size();

// Calls use(number) for each number, in this order.
template <class All, class Use>
void for_reported(All& totals, Use use)
{
    for (const ReportedCounts& counts : reported_counts)
        for (const ReportedField& field : reported_fields) use(totals.*counts.of.*field.field);
    for (const ReportedSum& sum : reported_sums) use(totals.*sum.sum);
}

} // namespace lanescope::trace
