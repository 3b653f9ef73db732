// What these tests need of the machine. Set-up fetches it: without it they say so and are skipped.
#pragma once

#include <gtest/gtest.h>

#include "compute/assembled/tools.h"

#define NEED_SASS()                                                                                \
    if (const std::string missing = lanescope::assembled::find_tools().missing; !missing.empty())  \
    GTEST_SKIP() << missing
