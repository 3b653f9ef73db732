// Mutated sessions, scripts, measurements, lectures, cards, formulas and pictures are either read
// or refused with a message.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "app/document/script.h"
#include "app/document/session/session_file.h"
#include "app/lessons/cards.h"
#include "app/lessons/talk.h"
#include "app/measure/measurements.h"
#include "app/run/editing/own_lab.h"
#include "assets/assets.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/inputs/image_file.h"
#include "render/capture/png.h"
#include "tests/support/malformed.h"
#include "tests/support/png_bytes.h"
#include "tests/support/program.h"
#include "tests/unit/fuzz/fuzzing.h"

namespace lanescope::test {
namespace {

using Json = nlohmann::ordered_json;

// Mutates values of a valid document or, less often, characters of its text.
std::string changed(Mutator& mutator, const std::vector<Json>& seeds)
{
    const Json& seed = mutator.any_of(seeds);
    if (mutator.below(4) == 0) return mutator.text(seed.dump(1));
    std::string text = mutator.json(seed).dump(1, ' ', false, Json::error_handler_t::replace);
    return mutator.below(8) == 0 ? mutator.text(text) : text;
}

std::vector<Json> sessions()
{
    std::vector<Json> all;
    app::Session session;
    session.device = "simt";
    session.journal.start = {"heat", "naive", {{"size", "40"}, {"diffusion", "0.1"}}, 7, ""};
    session.journal.events = {{3, labs::Stroke{0.25, 0.75, 0.1, false}},
                              {5, app::ParameterChange{"diffusion", "0.2"}},
                              {6, app::VariantChange{"temporal"}}};
    session.journal.steps = 9;
    session.look.step.on = true;
    session.look.step.breakpoints = {1, 5};
    session.picture = app::PictureFormat{{640, 360}, 12};
    session.folder = "pictures";
    session.include_folders = "/usr/include:x";
    all.push_back(Json::parse(to_json(session)));
    const labs::Lab& rod = labs::find("rod");
    session.journal = {};
    session.journal.start.lab =
        labs::open_texts(labs::with_edited_variant(rod, "naive", "// edited").texts).place;
    session.journal.start.variant = "naive";
    session.draft = {labs::texts_of(labs::find(session.journal.start.lab)),
                     {"naive_edited", "naive_edited.cu", ""}};
    all.push_back(Json::parse(to_json(session)));
    std::istringstream lines(
        read_file(LANESCOPE_SOURCE_DIR "/tests/unit/cli/first_version_sessions.jsonl"));
    for (std::string line; std::getline(lines, line);) all.push_back(Json::parse(line));
    return all;
}

TEST(Fuzz, Sessions)
{
    const Folder folder;
    const app::MayRead may{folder.path()};
    const std::vector<Json> seeds = sessions();
    int read = 0;
    fuzz(
        "sessions", {.inputs = 2000}, [&](Mutator& mutator) { return changed(mutator, seeds); },
        [&](const std::string& text) {
            if (++read % 100 == 0) labs::forget_texts({});
            const auto session = app::embedded_session(text, "session.json", may);
            if (!session) return;
            EXPECT_EQ(session->kernel_file, "");
            EXPECT_TRUE(session->folder.empty() || may.holds(session->folder));
            const std::string again = to_json(*session);
            EXPECT_EQ(to_json(app::session_from_json(again, "again")), again) << text;
        });
    EXPECT_EQ(folder.entries(), 0u);
}

template <std::size_t... index>
std::vector<app::ScriptLine> one_of_each(std::index_sequence<index...>)
{
    return {{static_cast<double>(index), app::Command::At<index>{}}...};
}

TEST(Fuzz, Scripts)
{
    const Folder folder;
    std::vector<Json> seeds;
    for (const app::ScriptLine& line : one_of_each(std::make_index_sequence<app::Command::count>()))
        seeds.push_back(Json::parse(app::script_to_json({line, line})));
    fuzz(
        "scripts", {.inputs = 2000}, [&](Mutator& mutator) { return changed(mutator, seeds); },
        [&](const std::string& text) {
            auto lines = app::script_from_json(text, "script.json");
            const std::string again = app::script_to_json(lines);
            EXPECT_EQ(app::script_to_json(app::script_from_json(again, "again")), again);
            app::require_harmless(lines, "script.json", folder.path());
            for (const app::ScriptLine& line : lines) {
                EXPECT_FALSE(line.command.is<app::RunProgram>());
                EXPECT_FALSE(line.command.is<app::SaveText>());
                EXPECT_FALSE(line.command.is<app::OpenFile>()) << "the folder is empty";
                app::Session session;
                session.device = "simt";
                session.journal.start = {"heat", "naive", {}, 1, {}};
                app::Document document = app::document_of(session);
                try {
                    app::apply(document, line.command);
                } catch (const Error&) {
                }
            }
        });
    EXPECT_EQ(folder.entries(), 0u);
}

TEST(Fuzz, Measurements)
{
    Json whole = Json::parse(*assets::find("assets/measurements.json"));
    for (const char* list : {"roofs", "results", "timelines"})
        if (whole.contains(list))
            while (whole[list].size() > 3) whole[list].erase(whole[list].size() - 1);
    if (whole.contains("timelines"))
        for (Json& one : whole["timelines"])
            while (one["operations"].size() > 4)
                one["operations"].erase(one["operations"].size() - 1);
    const std::vector<Json> seeds{whole};
    fuzz(
        "measurements", {.inputs = 1000}, [&](Mutator& mutator) { return changed(mutator, seeds); },
        [&](const std::string& text) {
            if (!app::are_measurements(text)) return;
            const app::Measurements all = app::measurements_from_json(text, "times.json");
            const std::string again = app::to_json(all);
            EXPECT_EQ(app::to_json(app::measurements_from_json(again, "again")), again);
            for (const app::MeasuredTimeline& one : all.timelines) (void)one.timeline.ideal_ms();
        });
}

std::vector<std::string> texts_below(std::string_view folder, std::string_view ending)
{
    std::vector<std::string> texts;
    for (const assets::File& file : assets::files())
        if (file.path.starts_with(folder) && file.path.ends_with(ending))
            texts.emplace_back(file.bytes);
    return texts;
}

// The lecture's head and one of its beats: reading the other beats as well would only take time.
std::string some_lines(Mutator& mutator, const std::string& text)
{
    const std::size_t begin = text.find("\nbeat:", mutator.below(text.size()));
    const std::size_t at = begin == std::string::npos ? text.find("\nbeat:") : begin;
    const std::size_t end = text.find("\nbeat:", std::min(at + 1, text.size()));
    return text.substr(0, text.find("\nbeat:")) + text.substr(at, end - at);
}

TEST(Fuzz, Lectures)
{
    const Folder folder;
    const auto find = app::labs_and_kernels_in(folder.path());
    std::vector<std::string> seeds = texts_below("assets/lectures/", ".lecture");
    for (std::string lesson : texts_below("compute/labs/", "beats.txt"))
        seeds.push_back(lesson.replace(lesson.find("lesson:"), 7, "lecture:"));
    fuzz(
        "lectures", {.inputs = 2000},
        [&](Mutator& mutator) { return mutator.text(some_lines(mutator, mutator.any_of(seeds))); },
        [&](const std::string& text) {
            if (!app::is_lecture(text)) return;
            const app::Talk talk = app::read_talk(text, "a.lecture", nullptr, find);
            for (const app::Beat& beat : talk.beats) {
                for (const app::Formula& formula : beat.formulas()) (void)formula.key();
                for (const double value : {0.0, 1e308, -1.0, std::nan("")}) {
                    (void)beat.right(value);
                    (void)app::number_text(value);
                }
            }
        });
}

TEST(Fuzz, CardsAndFormulas)
{
    const std::vector<std::string> seeds = texts_below("assets/cards/", "");
    ASSERT_FALSE(seeds.empty());
    fuzz(
        "cards", {.inputs = 1000},
        [&](Mutator& mutator) {
            const std::string& seed = mutator.any_of(seeds);
            const std::size_t at = seed.find("\ncard:", mutator.below(seed.size()));
            const std::size_t begin = at == std::string::npos ? 0 : at + 1;
            return mutator.text(seed.substr(begin, seed.find("\ncard:", begin) - begin));
        },
        [&](const std::string& text) {
            for (const app::Card& card : app::read_cards(text, "a.cards"))
                (void)card.verdict(std::vector<bool>(card.tests.size(), true));
        });
    fuzz(
        "formulas", {.inputs = 3000},
        [&](Mutator& mutator) {
            return mutator.text("(sectors_per_load(transpose/naive, size=256) + 2) * 3 / 4 - "
                                "number(heat/naive, \"size * 2\")");
        },
        [&](const std::string& text) {
            const app::Formula formula(text);
            (void)formula.value(std::vector<double>(formula.quantities().size(), 1e300));
        });
    fuzz(
        "conditions", {.inputs = 1000},
        [&](Mutator& mutator) {
            static const std::vector<std::string> seeds_of{"= 4", "< 1", ">= 0.5", "0.9 .. 1.1"};
            return mutator.text(mutator.any_of(seeds_of));
        },
        [&](const std::string& text) { (void)app::read_condition(text).holds(1e308); });
}

// Corrects the checksums of mutated chunks, so that these reach the decoder.
std::string with_correct_checksums(std::string png)
{
    for (std::size_t at = 8; at + 12 <= png.size();) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i)
            length = length << 8 | static_cast<unsigned char>(png[at + i]);
        if (length > png.size() - at - 12) break;
        const std::string right =
            png_chunk(png.substr(at + 4, 4), png.substr(at + 8, length)).substr(8 + length);
        png.replace(at + 8 + length, 4, right);
        at += 12 + length;
    }
    return png;
}

TEST(Fuzz, Pictures)
{
    render::Pixels pixels{9, 5, std::vector<std::uint8_t>(135)};
    for (std::size_t i = 0; i < pixels.rgb.size(); ++i)
        pixels.rgb[i] = static_cast<std::uint8_t>(17 * i);
    render::IndexedPixels indexed{7, 3, {{1, 2, 3}, {4, 5, 6}}, std::vector<std::uint8_t>(21, 1)};
    const std::string text = png_chunk("tEXt", "k" + std::string(1, '\0') + "v");
    const std::string ztxt =
        png_chunk("zTXt", "lanescope" + std::string(2, '\0') + packed("{\"a\": 1}"));
    const std::string itxt =
        png_chunk("iTXt", "o" + std::string(1, '\0') + "\1" + std::string(3, '\0') + packed("x"));
    std::string interlaced = png_file(4, 4, std::string(100, '\0'));
    interlaced[28] = 1;
    const std::vector<std::string> seeds{
        render::encode_png(pixels, {{"lanescope", "{}"}}),
        render::encode_png(indexed),
        png_file(2, 2, std::string(14, '\0'), text + ztxt, itxt + text),
        png_file(2, 2, std::string(14, '\0'),
                 png_chunk("PLTE", "abcdef") + png_chunk("tRNS", "xy") +
                     png_chunk("gAMA", std::string(4, '\0'))),
        with_correct_checksums(interlaced),
        jpeg()};
    fuzz(
        "pictures", {.inputs = 3000, .allocation_bytes = std::size_t{700} << 20},
        [&](Mutator& mutator) {
            const std::string& seed = mutator.any_of(seeds);
            std::string changed = mutator.text(seed);
            // Flips a bit of the PNG header: size, depth, colour type or interlacing.
            if (mutator.below(2) == 0 && changed.size() > 29)
                changed[16 + mutator.below(13)] ^= static_cast<char>(1 << mutator.below(8));
            return mutator.below(4) == 0 ? changed : with_correct_checksums(std::move(changed));
        },
        [&](const std::string& bytes) {
            try {
                (void)render::decode_png_text(bytes, "a.png");
            } catch (const Error&) {
            }
            try {
                (void)labs::decode_image(bytes, "a.png");
            } catch (const Error&) {
            }
            (void)render::decode_image(bytes, "a.png");
        });
}

} // namespace
} // namespace lanescope::test
