// The table of the memory model lab: the outcomes that PTX allows, those recorded, and a check that
// a run shows no other one.
#include <cstring>
#include <numeric>

#include "compute/experiment/record/named.h"
#include "compute/labs/memory_model/ptx_model.h"
#include "compute/labs/memory_model/recorded.h"

namespace lanescope::labs::memory_model {
namespace {

Form form_of(const Scope& scope)
{
    return static_cast<Form>(scope.whole("form", 0, static_cast<int>(forms) - 1));
}

Data allowed(const Scope& scope, const FillRequest&)
{
    std::vector<std::int32_t> cells;
    for (const auto& test : allowed_outcomes(form_of(scope)))
        for (const bool outcome : test) cells.push_back(outcome ? 1 : 0);
    return cells;
}

// The table that is drawn: its rows from the bottom up, two numbers per cell, as table.cu writes
// them.
Data table_of(const Scope& scope, const std::array<Counts, forms>& recorded)
{
    const Form form = form_of(scope);
    const Allowed may = allowed_outcomes(form);
    const Counts& seen = recorded[static_cast<std::size_t>(form)];
    std::vector<std::int32_t> cells;
    for (std::size_t test = tests; test-- > 0;)
        for (std::size_t outcome = 0; outcome < outcomes; ++outcome)
            if (may[test][outcome])
                cells.insert(cells.end(), {static_cast<std::int32_t>(outcomes * test + outcome),
                                           seen[test][outcome]});
            else
                cells.insert(cells.end(), {-1, -1});
    return cells;
}

Data in_orders(const Scope& scope, const FillRequest&)
{
    return table_of(scope, seen_in_orders);
}

Data on_h200(const Scope& scope, const FillRequest&)
{
    return table_of(scope, seen_on_h200);
}

double weak_outcomes(const Scope& scope)
{
    double count = 0;
    for (const auto& test : allowed_outcomes(form_of(scope))) count += test[weak] ? 1 : 0;
    return count;
}

// Right if each test has as many outcomes as instances, all of which PTX allows.
Check check_outcomes(const Scope& scope, std::span<const std::byte> got, double tolerance)
{
    Counts seen{};
    require_fit(got.size() == sizeof(seen), "a result with the outcomes of all tests");
    std::memcpy(seen.data(), got.data(), sizeof(seen));
    const Allowed may = allowed_outcomes(form_of(scope));
    const int instances = scope.whole("instances", 1);
    double wrong = 0;
    for (std::size_t test = 0; test < tests; ++test) {
        const auto sum = std::accumulate(seen[test].begin(), seen[test].end(), std::int64_t{0});
        if (sum != instances) wrong += 1;
        for (std::size_t outcome = 0; outcome < outcomes; ++outcome)
            if (!may[test][outcome]) wrong += seen[test][outcome];
    }
    return {.max_error = wrong, .tolerance = tolerance, .correct = wrong <= tolerance};
}

const Named<Fill> allowed_fill{"litmus_allowed", {allowed}};
const Named<Fill> orders_fill{"litmus_in_orders", {in_orders}};
const Named<Fill> h200_fill{"litmus_on_h200", {on_h200}};
const Named<Computed> weak_computed{"litmus_weak", {weak_outcomes, true}};
const Named<Reference> reference{"litmus", {.check = check_outcomes}};

} // namespace
} // namespace lanescope::labs::memory_model
