// While a command runs, its output goes to standard error; only the document goes to standard
// output. File descriptors are swapped instead of streams, because a GPU driver writes to
// descriptors.
#include "app/commands/shared/json_output.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "app/export/output/trace_output.h"
#include "compute/counting/gpus.h"
#include "compute/process/streams.h"

namespace lanescope::app {
namespace {

struct State {
    bool active = false;
    int kept = -1; // the original standard output
    std::string document{};
};

State& state()
{
    static State one;
    return one;
}

} // namespace

bool asks_for_json(std::span<const char* const> arguments)
{
    const auto is = [](auto... names) {
        return [=](std::string_view argument) { return ((argument == names) || ...); };
    };
    return std::ranges::any_of(arguments, is("--json")) &&
           std::ranges::none_of(arguments, is("-h", "--help", "--help-all", "--version"));
}

JsonOutput::JsonOutput()
{
    std::fflush(stdout);
    state() = {.active = true, .kept = duplicate(standard_output)};
    redirect(standard_output, standard_errors);
}

JsonOutput::~JsonOutput()
{
    finish_json();
}

void print_json(const nlohmann::ordered_json& json)
{
    const counting::Gpu* const gpu = counting::chosen_gpu();
    nlohmann::ordered_json named;
    if (gpu != nullptr && json.is_object()) {
        named = json;
        named["simulated_gpu"] = gpu->name;
    }
    const std::string text = json_text(named.is_null() ? json : named);
    if (state().active)
        state().document = text;
    else
        fmt::print("{}", text);
}

void print_error_json(const Error& error)
{
    if (state().active && state().document.empty())
        print_json({{"error", error.what()}, {"status", static_cast<int>(error.status())}});
}

// Write errors are reported by the program's final flush, as for any other output.
void finish_json()
{
    State done = std::exchange(state(), {});
    if (!done.active) return;
    std::fflush(stdout);
    if (done.kept < 0) {
        close_descriptor(standard_output);
    } else {
        redirect(standard_output, done.kept);
        close_descriptor(done.kept);
    }
    std::fwrite(done.document.data(), 1, done.document.size(), stdout);
}

} // namespace lanescope::app
