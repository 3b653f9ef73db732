// A file is read whole and looked into; what it is decides, not its name.
#include "app/run/wish.h"

#include <fmt/format.h>

#include "render/capture/file.h"
#include "render/capture/png.h"

namespace lanescope::app {

Found find_in_file(const std::filesystem::path& file, const Session& present)
{
    constexpr std::size_t most_bytes = std::size_t{1} << 28;
    const std::string name = file.filename().string();
    const std::string bytes = render::read_file(file, most_bytes);
    if (auto session = session_inside(bytes, name)) return {Arrival::session, std::move(*session)};
    const labs::Lab& lab = labs::find(present.journal.start.lab);
    if (!lab.takes_image)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} holds no session, and the lab {} shows no picture of yours.",
                                name, lab.title),
                    "Drop a session, or open a lab that works on a picture first.");
    render::decode_image(bytes, name); // says what is wrong with it
    Found found{Arrival::restart, {present.device, {present.journal.start, {}, 0}, present.look}};
    found.session.journal.start.image = std::filesystem::absolute(file).string();
    return found;
}

} // namespace lanescope::app
