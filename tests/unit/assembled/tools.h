// Tools that these tests need. app/setup.sh fetches them; without them the tests are skipped with a
// message.
#pragma once

#include <gtest/gtest.h>

#include "compute/assembled/tools.h"

#define NEED_SASS()                                                                                \
    if (const std::string missing = lanescope::assembled::find_tools().missing; !missing.empty())  \
    GTEST_SKIP() << missing
