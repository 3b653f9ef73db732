// Compares lower-case texts.
#include "app/window/dialogues/search.h"

#include <string>

#include "compute/text.h"

namespace lanescope::app {
namespace {

} // namespace

int match_rank(std::string_view text, std::string_view typed)
{
    const std::string in = lower_case(text);
    const std::string all = lower_case(trimmed(typed));
    for (const std::string_view word : parts(all, ' '))
        if (in.find(word) == std::string::npos) return 0;
    if (in.starts_with(all)) return 3;
    return in.find(' ' + all) != std::string::npos ? 2 : 1;
}

} // namespace lanescope::app
