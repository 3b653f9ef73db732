// `lanescope page`: sessions or a lecture as a self-contained page for a browser.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "app/commands/commands.h"
#include "app/draw/studio.h"
#include "app/export/page/page.h"
#include "app/export/page/page_files.h"
#include "app/lessons/talk.h"
#include "app/measure/quantity.h"
#include "app/run/frame/open_job.h"
#include "compute/endings.h"
#include "render/capture/file.h"
#include "render/capture/markup.h"
#include "render/capture/small_png.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

struct PageOptions {
    std::vector<std::string> files;
    std::string output;
    std::string site;
    bool embed = false;
};

constexpr PictureFormat still_format{{1280, 720}, 20};

std::string still_of(const Session& session)
{
    Studio studio(session, still_format, 0);
    const render::Pixels pixels = studio.draw();
    return render::encode_small_png(pixels, as_png_text(studio.session()));
}

std::string paragraph(const std::string& text)
{
    return text.empty() ? "" : fmt::format("<p>{}</p>\n", render::escape(text));
}

// The beats as text, with their numbers; answers are revealed on request.
std::string words_of(const Talk& talk)
{
    Measurer measurer;
    std::map<std::string, Answer> answers;
    const auto find = [&](const Formula& formula) -> const Answer* {
        const auto known = answers.find(formula.key());
        if (known != answers.end()) return &known->second;
        return &answers.emplace(formula.key(), measurer.find(formula)).first->second;
    };
    std::string html;
    for (const Beat& beat : talk.beats) {
        html += fmt::format("<h3>{}</h3>\n", render::escape(beat.title));
        html += paragraph(beat.say.filled(find));
        html += paragraph(beat.question.filled(find));
        if (!beat.choices.empty()) {
            html += "<ul>\n";
            for (const Choice& choice : beat.choices)
                html += fmt::format("<li>{}</li>\n", render::escape(choice.text));
            html += "</ul>\n";
        }
        if (beat.reveal.empty()) {
            html += paragraph(beat.because.filled(find));
            continue;
        }
        const double value = find(beat.reveal)->value;
        html += fmt::format("<details><summary>{} {}</summary>\n{}</details>\n", number_text(value),
                            render::escape(unit_of(value, beat.unit)),
                            paragraph(beat.because.filled(find)));
    }
    return html;
}

// Makes the part of a page for this file; adds the labs that it needs to `labs`.
PagePart part_of(const std::string& file, std::set<std::string>& labs)
{
    PagePart part;
    part.file_name = fs::path(file).filename().string();
    const Found found = find_in_file(file, {});
    part.still = still_of(with_ptx(found.session));
    if (found.talk) {
        part.title = found.talk->title;
        part.words = words_of(*found.talk);
        part.has_beats = true;
        part.file = render::read_file(file, std::size_t{1} << 24);
        labs.merge(labs_named_in(part.file));
        return part;
    }
    const labs::Lab& lab = labs::find(found.session.journal.start.lab);
    labs.merge(labs_named_in(std::string(lab.origin()) + '/'));
    const labs::Variant& variant = labs::find_variant(lab, found.session.journal.start.variant);
    part.title = fmt::format("{}: {}", lab.title, variant.title);
    part.words = paragraph(lab.question) + paragraph(variant.idea);
    part.file_name = "session.png";
    return part;
}

ExitStatus page(const PageOptions& options)
{
    if (!options.site.empty()) {
        write_site(options.site);
        fmt::print("{}: copy it to any static web server\n", options.site);
        return ExitStatus::done;
    }
    if (options.files.empty() || options.output.empty())
        throw Error(ExitStatus::bad_usage, "A page needs sessions or a lecture.",
                    "Write lanescope page SESSION… -o lesson.html, or --site FOLDER.");
    render::require_writable(options.output);
    require_browser_program(); // fail before drawing the pictures, which takes longer
    std::vector<PagePart> parts;
    std::set<std::string> labs;
    for (const std::string& file : options.files) parts.push_back(part_of(file, labs));
    if (labs.empty()) labs.insert(labs::all().front().id); // the program needs at least one
    const std::string page = page_of(parts.front().title, parts, labs);
    render::write_file(options.output, page);
    fmt::print("{}: {:.1f} MB\n", options.output, static_cast<double>(page.size()) / 1e6);
    if (options.embed)
        fmt::print("<iframe src=\"{}\" width=\"1280\" height=\"900\" title=\"{}\" "
                   "allowfullscreen></iframe>\n",
                   render::escape(fs::path(options.output).filename().string()),
                   render::escape(parts.front().title));
    return ExitStatus::done;
}

} // namespace

void add_page(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "page",
        "Turn sessions or a lecture into one HTML file that runs in a browser, without a server");
    const auto options = std::make_shared<PageOptions>();
    command->add_option("files", options->files,
                        "Sessions (JSON, or pictures that contain one) and lectures");
    command->add_option("-o,--output", options->output, "The HTML file to write");
    command->add_flag("--embed", options->embed,
                      "Also print the HTML that embeds it in another page");
    command->add_option(
        "--site", options->site,
        "Write the whole program into this folder instead, for a static web server");
    command->callback([&chosen, options] { chosen = [options] { return page(*options); }; });
}

} // namespace lanescope::app
