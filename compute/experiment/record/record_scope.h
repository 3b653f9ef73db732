// Implements Scope for an experiment: gives fills and references its current numbers.
#pragma once

#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "compute/error.h"
#include "compute/experiment/record/experiment.h"

namespace lanescope::labs {

// Calls a function registered by a lab's .cpp; a mismatch with the record is reported with its
// location.
template <class Call>
auto reported_with(const std::string& where, Call&& call)
{
    try {
        return call();
    } catch (const std::out_of_range& misfit) {
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{}: this does not match the record: {}.", where, misfit.what()),
                    "See how the lab that introduced it uses it.");
    }
}

class RecordedExperiment::RecordScope : public Scope {
public:
    RecordScope(const RecordedExperiment& experiment, Run& run, const CheckPlan* check = nullptr,
                const Part* part = nullptr)
        : experiment_(experiment), run_(run), check_(check), part_(part)
    {
    }
    double number(std::string_view name) const override;
    std::string text(std::string_view parameter) const override
    {
        return experiment_.values_.text(parameter);
    }
    std::uint64_t seed() const override { return experiment_.seed_; }
    const std::filesystem::path& image() const override { return experiment_.user_image_; }
    Data input(std::string_view buffer) const override;
    std::vector<double> each(std::string_view option) const override;

private:
    std::any& keep(const std::string& name) const override { return experiment_.kept_[name]; }

    const RecordedExperiment& experiment_;
    Run& run_;
    const CheckPlan* check_;
    const Part* part_;
};

} // namespace lanescope::labs
