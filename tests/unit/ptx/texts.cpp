// Embedded PTX of the test kernels, and texts built around a body.
#include "tests/unit/ptx/texts.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "assets/assets.h"
#include "compute/ptx/text/parse_error.h"

namespace lanescope::ptx {

std::string_view compiled(std::string_view name)
{
    const auto text = assets::find(fmt::format("tests/unit/ptx/kernels/{}.ptx", name));
    if (!text) throw std::runtime_error(fmt::format("no PTX of {}.cu is embedded", name));
    return *text;
}

std::vector<std::string_view> all_compiled()
{
    std::vector<std::string_view> texts;
    for (std::string_view name : {"calls", "control", "memory", "textures", "warps"})
        texts.push_back(compiled(name));
    return texts;
}

std::string around(std::string_view body)
{
    return fmt::format(".version 8.0 .target sm_90 .address_size 64\n"
                       ".visible .entry k(.param .u64 data, .param .u32 n)\n"
                       "{{ .reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<99>;\n"
                       ".reg .f32 %f<99>; .reg .f64 %fd<99>;\n"
                       "{}\n}}\n",
                       body);
}

Module parse_body(std::string_view body)
{
    return parse(around(body));
}

std::string error_of(std::string_view text)
{
    try {
        const Module module = parse(text);
        for (const Function& function : module.functions)
            if (function.refusal)
                return ParseError(function.refusal->line, function.refusal->what).what();
    } catch (const ParseError& error) {
        return error.what();
    }
    return {};
}

} // namespace lanescope::ptx
