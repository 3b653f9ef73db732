// One level for the process: texts are loaded by one thread at a time where it is chosen.
#include "compute/cuda/assembler_level.h"

#include <atomic>

namespace lanescope::cuda {
namespace {

std::atomic<int> level_in_use{-1};

} // namespace

AssemblerLevel::AssemblerLevel(int level) : before_(level_in_use.exchange(level)) {}

AssemblerLevel::~AssemblerLevel()
{
    level_in_use.store(before_);
}

int chosen_assembler_level()
{
    return level_in_use.load();
}

} // namespace lanescope::cuda
