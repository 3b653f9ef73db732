// Runs a launch in other orders that CUDA permits (simt::Options::order), and finds results that
// depend on the order.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/run/kernel/kernel_run.h"
#include "compute/experiment/lab/lab.h"
#include "compute/simt/machine/state/options.h"

namespace lanescope::app {

struct OrderReport {
    int tried = 0;
    std::vector<std::uint64_t> different; // seeds whose outcome differs from the usual
    // How the first of `different` differs, as a sentence.
    std::string how;
};

// The seeds to try: `count` seeds from `first`, which is at least 1.
struct Orders {
    std::uint64_t first = 1;
    int count = 0;
};

// Runs on new memory each time, in the usual order and then in the others, without checks. Throws
// the KernelFault of the usual order; a fault in another order is a difference.
OrderReport try_orders(const KernelLaunch& launch, const Orders& orders,
                       const simt::Options& options);
// The same for a lab's variant.
struct OrderedSteps {
    const labs::Lab& lab;
    const labs::Variant& variant;
    labs::Values values;
    std::uint64_t seed = 1;
    std::filesystem::path image{};
    std::int64_t steps = 1; // calls of Experiment::step()
};
OrderReport try_orders(const OrderedSteps& steps, const Orders& orders,
                       const simt::Options& options);

std::string text(const OrderReport& report);
nlohmann::ordered_json as_json(const OrderReport& report);

} // namespace lanescope::app
