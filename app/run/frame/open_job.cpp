// Reads a file completely, and classifies it by its contents, not its name. For a file of
// measurements, shows them from then on and restarts the experiment beside them.
#include "app/run/frame/open_job.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/document/last_session.h"
#include "app/document/session/session_file.h"
#include "app/lessons/talk.h"
#include "app/measure/measurements.h"
#include "app/run/editing/own_lab.h"
#include "app/run/editing/own_text.h"
#include "app/run/program/program_file.h"
#include "assets/assets.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/python_source.h"
#include "render/capture/file.h"
#include "render/capture/png.h"

namespace lanescope::app {

namespace {

// The lab from the start, keeping the current look as far as possible.
Found lab_of(const labs::Lab& lab, const Session& present)
{
    Session session{present.device, {}, present.look};
    session.journal.start = {
        lab.place, lab.variants.front().id, as_texts(lab, labs::Values(lab)), 1, {}};
    if (std::ranges::find(lab.views, session.look.view) == lab.views.end())
        session.look.view = lab.views.front();
    session.look.compare.clear();
    return {Arrival::lab, std::move(session)};
}

std::string recovered_words(const std::string& name)
{
    return fmt::format(
        "Recovered unsaved changes to {}: they are in the editor (Ctrl S saves them).", name);
}

// The script with the text that an earlier run left unsaved.
Found with_kept_text(Found found, labs::Texts texts, const Session& kept, const std::string& name)
{
    const labs::Texts left =
        kept.draft ? *kept.draft->texts : labs::texts_of(labs::find(kept.journal.start.lab));
    const auto text = left.files.find(name);
    if (text == left.files.end() || text->second == texts.files[name]) return found;
    texts.files[name] = text->second;
    found.session.draft = Draft{std::move(texts), {}};
    found.notes.push_back(recovered_words(name));
    return found;
}

Found kernels_in(const std::filesystem::path& file, const Session& present)
{
    OwnKernels own = read_kernels_or_text(file);
    Found found = lab_of(labs::open_texts(own.texts), present);
    found.notes = std::move(own.notes);
    found.kernel_file = std::filesystem::weakly_canonical(file);
    found.session.kernel_file = found.kernel_file.string();
    // Restores unsaved edits in the editor, over the file's source.
    if (const auto kept = kept_edits_of(found.session.kernel_file)) {
        const std::string name = text_name(file);
        if (is_python_source(file)) return with_kept_text(std::move(found), own.texts, *kept, name);
        const labs::Lab& lab = labs::find(kept->journal.start.lab);
        Draft draft = kept->draft ? *kept->draft : Draft{labs::texts_of(lab), {}};
        labs::Texts texts = *draft.texts;
        texts.files[name] = own.texts.files[name];
        const labs::Variant* const variant = lab.find_variant(kept->journal.start.variant);
        if (variant && draft.following.variant.empty() && !variant->edited.empty())
            draft.following = {variant->id, variant->source, {}};
        if (texts.id == own.texts.id && texts.base.empty() && texts != own.texts) {
            draft.texts = std::move(texts);
            found.session.draft = std::move(draft);
            found.notes.push_back(recovered_words(name));
        }
    }
    return found;
}

} // namespace

Found find_in_file(const std::filesystem::path& file, const Session& present)
{
    if (is_kernel_file(file) || is_python_source(file)) return kernels_in(file, present);
    if (labs::is_lab_folder(file)) return lab_of(labs::find(file.string()), present);
    if (is_built_program(file)) {
        require_shared_runtime(read_program_file(file), file);
        Found found{Arrival::restart,
                    {present.device, {present.journal.start, {}, 0}, present.look}};
        found.program = std::filesystem::weakly_canonical(file);
        return found;
    }
    constexpr std::size_t max_bytes = std::size_t{1} << 28;
    const std::string name = file.filename().string();
    // The program's own lectures need no file.
    std::error_code ignored;
    const auto own =
        std::filesystem::exists(file, ignored) ? std::nullopt : assets::find(file.generic_string());
    const std::string bytes = own ? std::string(*own) : render::read_file(file, max_bytes);
    if (are_measurements(bytes)) {
        show_measurements(file);
        return {Arrival::restart, {present.device, {present.journal.start, {}, 0}, present.look}};
    }
    if (is_lecture(bytes)) {
        auto talk = std::make_shared<const Talk>(
            read_talk(bytes, name, nullptr, labs_and_kernels_in(file.parent_path())));
        const BeatState& scene = talk->beats.front().scene;
        Found found{Arrival::session, present, std::move(talk)};
        found.session.journal = {{scene.lab, scene.variant, scene.values, 1, {}}, {}, 0};
        apply_scene(found.session.look, scene);
        return found;
    }
    // The picture on screen was opened by the user, so it may be read.
    const MayRead may{file.parent_path(), present.journal.start.image};
    if (auto session = embedded_session(bytes, name, may))
        return {Arrival::session, std::move(*session)};
    const labs::Lab& lab = labs::find(present.journal.start.lab);
    if (!lab.takes_image)
        throw Error(ExitStatus::bad_usage,
                    fmt::format("{} contains no session, and the lab {} does not take a picture.",
                                name, lab.title),
                    "Drop a session, or first open a lab that takes a picture.");
    render::decode_image(bytes, name); // throws if it is damaged
    Found found{Arrival::restart, {present.device, {present.journal.start, {}, 0}, present.look}};
    found.session.journal.start.image = std::filesystem::absolute(file).string();
    return found;
}

Found find_launch_of_script(const std::filesystem::path& lab, const std::filesystem::path& source,
                            const std::filesystem::path& script, const Session& present)
{
    const labs::Lab* launch = &labs::find(lab.string());
    const labs::Variant& variant = launch->variants.front();
    if (source == script)
        launch = &labs::open_texts(
            {launch->place, {}, {{variant.source, std::string(launch->source(variant))}}});
    Found found = lab_of(*launch, present);
    found.session.kernel_file = script.string();
    const labs::Lab& before = labs::find(present.journal.start.lab);
    const bool again = present.kernel_file == found.session.kernel_file && !before.placeholder &&
                       before.variants.front().id == variant.id;
    if (again) found.arrival = Arrival::session;
    return found;
}

} // namespace lanescope::app
