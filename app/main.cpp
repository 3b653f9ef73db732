// The program's entry: labs from disk have their kernels compiled by the CUDA part, of which labs
// know nothing; whatever goes wrong is told by `told`.
#include "app/commands/program.h"
#include "app/run/editing/compiling.h"

int main(int argc, char** argv)
{
    using namespace lanescope;
    app::compile_labs_with_cuda();
    return static_cast<int>(app::told([=] { return app::run_program(argc, argv); }));
}
