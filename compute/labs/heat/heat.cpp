// Generator and reference for heat's record: the plate's initial state, and its evolution.
#include "compute/experiment/record/named.h"
#include "compute/labs/heat/reference.h"

namespace lanescope::labs::heat {
namespace {

const Named<Fill> start_fill{
    "heat_start", {[](const Scope& scope, const FillRequest& request) -> Data {
        constexpr std::int64_t max_height =
            std::numeric_limits<int>::max() / 20; // so height * 20 fits
        require_fit(request.extents.size() >= 2 && request.extents[0] <= max_height &&
                        request.extents[1] <= max_height,
                    "two extents");
        return start(static_cast<int>(request.extents.at(0)),
                     static_cast<int>(request.extents.at(1)), scope.seed());
    }}};

// Calls `change` with the cells as a plate.
template <class Change>
void as_plate(std::vector<double>& cells, const Scope& scope, Change&& change)
{
    require_fit(fitting_count({scope.count("size"), scope.count("rows")}) <= cells.size(),
                "a state of size x rows cells");
    Plate plate{scope.whole("size", 1), scope.whole("rows", 1), std::move(cells)};
    change(plate);
    cells = std::move(plate.cells);
}

const Named<Reference> reference{
    "heat",
    {.advance =
         [](std::vector<double>& cells, const Scope& scope) {
             as_plate(cells, scope, [&](Plate& plate) {
                 advance(plate, scope.number("k"), scope.number("boundary") != 0);
             });
         },
     .paint =
         [](std::vector<double>& cells, const Scope& scope) {
             const auto number = [&](const char* name) {
                 return static_cast<float>(scope.number(name));
             };
             as_plate(cells, scope, [&](Plate& plate) {
                 stain(plate, {number("x"), number("y"), number("radius"), number("temperature")});
             });
         }}};

} // namespace
} // namespace lanescope::labs::heat
