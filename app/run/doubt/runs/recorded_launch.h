// Launches as data that can be run again with another text: those of a lab's step, whose inputs the
// lab makes, become launches with arguments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/run/doubt/runs/version_run.h"
#include "compute/experiment/lab/lab.h"

namespace lanescope::app {

struct RecordedStep {
    const labs::Lab& lab;
    const labs::Variant& variant;
    labs::Values values;
    std::uint64_t seed = 1;
    std::filesystem::path image{};
    std::int64_t steps_before = 0;
};

// The launches of the step with the memory before each of them. Throws Error (unsupported) for
// launches that read textures or __constant__ variables.
std::vector<KernelLaunch> recorded_launches(const RecordedStep& step, const DoubtLimits& limits);

// Sets the names of the launch's parameters, and the types of buffers that have none, from a text
// of its kernel that was compiled with -G; changes nothing for other texts.
void describe_parameters(KernelLaunch& launch, const ptx::Module& compiled_with_g);

} // namespace lanescope::app
