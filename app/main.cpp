// The program's entry: labs from disk have their kernels compiled by the CUDA part, of which labs
// know nothing; whatever goes wrong is told by `told`.
#include "app/commands/program.h"
#include "compute/cuda/compile/compile.h"
#include "compute/labs/lab.h"

int main(int argc, char** argv)
{
    using namespace lanescope;
    labs::compile_with([](std::string_view text, const std::filesystem::path& name) {
        return cuda::compile_to_ptx(text, name);
    });
    return static_cast<int>(app::told([=] { return app::run_program(argc, argv); }));
}
