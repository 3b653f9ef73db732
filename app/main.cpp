// Entry point. Registers the compiler for kernels of labs on disk, because labs don't depend on
// compilers; `report_errors` reports every failure.
#include <algorithm>
#include <span>
#include <string_view>

#include "app/commands/program.h"
#include "app/commands/shared/json_output.h"
#include "app/judge/sandbox.h"
#include "app/run/editing/compiling.h"
#include "app/run/program/program_actor.h"
#include "compute/endings.h"
#include "compute/process/end_request.h"
#include "compute/process/own_program.h"
#include "compute/process/stack.h"
#include "compute/process/terminal.h"
#include "render/shared/step_graphics.h"

namespace {

// True for commands with a kernel file; `program` builds its file with nvcc.
bool compiles_kernel(std::span<char* const> words)
{
    return words.size() > 1 && words[1] != std::string_view("program") &&
           std::ranges::any_of(words, [](std::string_view word) {
               return word.ends_with(lanescope::ending::cuda_source);
           });
}

int run(int argc, char** argv)
{
    using namespace lanescope;
    keep_standard_streams();
#ifndef __EMSCRIPTEN__ // browsers can't start processes
    if (argc == 2 && std::string_view(argv[1]) == app::compile_word)
        return app::serve_compilations();
    if (argc == 2 && std::string_view(argv[1]) == app::program_word)
        return app::run_program_for_window();
#endif
    app::compile_labs_with_cuda({own_program(), app::compile_word});
    device::make_graphics_with(render::step_graphics);
#ifndef __EMSCRIPTEN__
    if (compiles_kernel({argv, argv + argc})) app::prepare_compiler();
#endif
    guard_terminals();
    survive_file_limits(); // exceeding one becomes a write error
#ifndef __EMSCRIPTEN__
    if (argc == 2 && std::string_view(argv[1]) == app::judge_word) return app::judge_for_parent();
#endif
    const auto status = app::report_errors([=] { return app::run_program(argc, argv); },
                                           app::asks_for_json({argv, argv + argc}));
    end_as_requested();
    return static_cast<int>(status);
}

} // namespace

int main(int argc, char** argv)
{
    const lanescope::ProgramArguments arguments(argc, argv);
    return lanescope::with_usual_stack([&] { return run(arguments.count(), arguments.words()); });
}
