// See journal.h.
#include "app/document/journal.h"

namespace lanescope::app {

labs::Values start_values(const labs::Lab& lab, const Start& start)
{
    labs::Values values(lab);
    for (const auto& [id, text] : start.parameters) values.set(id, text);
    return values;
}

std::map<std::string, std::string> as_texts(const labs::Lab& lab, const labs::Values& values)
{
    std::map<std::string, std::string> texts;
    for (const labs::Parameter& parameter : lab.parameters)
        texts[parameter.id] = values.text(parameter.id);
    return texts;
}

} // namespace lanescope::app
