// Replaces names in place; scoped() puts the text in braces, so that its registers are local.
#include "compute/ptx/probes/probe_template.h"

#include <stdexcept>

namespace lanescope::ptx {
std::string expand(std::string_view text, std::initializer_list<Filling> fillings)
{
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '&') {
            result += "%lsprobe_";
        } else if (text[at] != '#') {
            result += text[at];
        } else {
            const std::size_t end = text.find('#', at + 1);
            const std::string_view name = text.substr(at + 1, end - at - 1);
            const Filling* found = nullptr;
            for (const Filling& filling : fillings)
                if (filling.name == name) found = &filling;
            if (found == nullptr)
                throw std::logic_error(fmt::format("a probe's template lacks '{}'", name));
            result += found->value;
            at = end;
        }
    }
    return result;
}

std::string scoped(std::string_view text)
{
    return expand(fmt::format("{{\n{}}}\n", text));
}

} // namespace lanescope::ptx
