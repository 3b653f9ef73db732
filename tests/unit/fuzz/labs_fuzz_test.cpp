// Labs: mutated records are read or refused with a message. Those that can be read run with empty
// kernels, so that fills, references, views and checks have to handle inconsistent numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <regex>
#include <thread>

#include <nlohmann/json.hpp>

#include "app/lessons/talk.h"
#include "assets/assets.h"
#include "compute/experiment/catalogue/texts.h"
#include "compute/experiment/inputs/memory_limit.h"
#include "compute/experiment/record/layout.h"
#include "compute/experiment/record/read.h"
#include "compute/simt/simt_device.h"
#include "tests/unit/fuzz/fuzzing.h"

namespace lanescope::test {
namespace {

using Json = nlohmann::ordered_json;

struct Seed {
    const labs::Lab* lab = nullptr;
    Json record;
};

std::vector<Seed> seeds_of_all_labs()
{
    std::vector<Seed> seeds;
    for (const labs::Lab& lab : labs::all())
        seeds.push_back({&lab, Json::parse(lab.file("lab.json"), nullptr, true, true)});
    return seeds;
}

// Removes all but two variants of the record, so that reading it takes less time.
Json smaller(Mutator& mutator, Json record)
{
    Json& variants = record["variants"];
    while (variants.size() > 2) variants.erase(mutator.below(variants.size()));
    for (const char* key : {"sweeps", "presets", "peers", "opens", "test_sizes"})
        if (mutator.below(4) != 0) record.erase(key);
    for (Json& variant : variants) variant.erase("fixed");
    return record;
}

std::string changed(Mutator& mutator, const Json& record)
{
    const Json small = smaller(mutator, record);
    if (mutator.below(4) == 0) return mutator.text(small.dump(1));
    const std::string text =
        mutator.json(small).dump(1, ' ', false, Json::error_handler_t::replace);
    return mutator.below(8) == 0 ? mutator.text(text) : text;
}

TEST(Fuzz, Records)
{
    const std::vector<Seed> seeds = seeds_of_all_labs();
    fuzz(
        "records", {.inputs = 2000},
        [&](Mutator& mutator) { return changed(mutator, mutator.any_of(seeds).record); },
        [&](const std::string& text) {
            const labs::Lab lab = labs::read_record(text, "lab.json", "fuzz");
            EXPECT_FALSE(lab.variants.empty());
            for (const labs::Parameter& parameter : lab.parameters)
                (void)labs::Values(lab).text(parameter.id);
            if (text.size() % 8 == 0) (void)labs::with_entry(text, "/title", "\"T\"");
        });
}

// Returns a text's kernels with their parameters but with empty bodies.
std::string without_code(std::string_view ptx)
{
    std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
    const std::regex entry(R"((\.visible )?\.entry [^{]*)");
    const std::regex loose(R"(\n(\.visible |\.weak )?\.(const|global)[^;{]*;)");
    const std::string from(ptx);
    for (auto at = std::sregex_iterator(from.begin(), from.end(), loose);
         at != std::sregex_iterator(); ++at)
        text += at->str() + "\n";
    for (auto at = std::sregex_iterator(from.begin(), from.end(), entry);
         at != std::sregex_iterator(); ++at)
        text += at->str() + "\n{\nret;\n}\n";
    return text;
}

struct RunnableSeed {
    const labs::Lab* lab = nullptr;
    Json record;
    std::map<std::string, std::string> files; // kernel texts
};

std::vector<RunnableSeed> runnable_labs()
{
    std::vector<RunnableSeed> seeds;
    for (const labs::Lab& lab : labs::all()) {
        RunnableSeed seed{&lab, Json::parse(lab.file("lab.json"), nullptr, true, true), {}};
        for (const assets::File& file : assets::files()) {
            const std::string folder = "compute/labs/" + lab.id + "/";
            if (!file.path.starts_with(folder) || !file.path.ends_with(".ptx")) continue;
            seed.files[std::string(file.path.substr(folder.size()))] = without_code(file.bytes);
        }
        seeds.push_back(std::move(seed));
    }
    return seeds;
}

// Limits the number of elements, since most errors also occur with few of them.
Json small_numbers(Mutator& mutator, Json record)
{
    if (record.contains("parameters"))
        for (Json& one : record["parameters"]) {
            if (!one.contains("min") || !one["min"].is_number() || !one["initial"].is_number())
                continue;
            const double low = std::max(0.0, one["min"].get<double>());
            one["initial"] =
                one["kind"] == "integer"
                    ? Json(std::min<std::int64_t>(static_cast<std::int64_t>(low) +
                                                      static_cast<std::int64_t>(mutator.below(9)),
                                                  one["max"].get<std::int64_t>()))
                    : one["initial"];
        }
    return record;
}

void run(const labs::Lab& lab, device::Device& device, Mutator& mutator)
{
    device::PlainAllocator shown(device);
    std::vector<const labs::Variant*> runs;
    for (const labs::Variant& variant : lab.variants)
        if (variant.runs_on(device::Engine::simt)) runs.push_back(&variant);
    if (runs.empty()) return;
    labs::Values values(lab);
    const auto experiment = lab.start({.device = device,
                                       .shown = shown,
                                       .lab = lab,
                                       .variant = *runs.front(),
                                       .values = values,
                                       .seed = 3,
                                       .image = {}});
    const auto attempt = [](const std::function<void()>& work) {
        try {
            work();
        } catch (const Error&) {
        }
    };
    for (const labs::Variant* variant : runs) {
        attempt([&] { experiment->select(*variant); });
        attempt([&] { experiment->step(nullptr); });
        for (const std::string& view : lab.views) attempt([&] { (void)experiment->picture(view); });
        attempt([&] { (void)experiment->memory(); });
        attempt([&] { (void)experiment->next_result(); });
        attempt([&] { (void)experiment->check(); });
        attempt([&] { (void)experiment->shape(); });
        attempt([&] { (void)experiment->warning(); });
        attempt([&] { (void)experiment->work_per_launch(); });
        attempt([&] { (void)experiment->steps_per_frame(); });
        attempt([&] { experiment->paint({.u = 0.5, .v = 0.5, .radius = 0.2, .erase = false}); });
        for (const labs::Parameter& parameter : lab.parameters)
            attempt([&] {
                values.set(parameter.id, mutator.below(2) == 0 ? parameter.min : parameter.initial);
            });
        attempt([&] { experiment->set(values); });
        attempt([&] { experiment->step(nullptr); });
        attempt([&] { (void)experiment->check(); });
    }
}

// Cancels a step that takes too long, as a user would: some records launch a million times per
// step.
class Patience {
public:
    explicit Patience(device::Device& device)
        : device_(device), thread_([this](const std::stop_token& stop) { watch(stop); })
    {
    }
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;

    void begin()
    {
        device_.resume();
        since_ = std::chrono::steady_clock::now();
    }

private:
    void watch(const std::stop_token& stop)
    {
        using namespace std::chrono_literals;
        while (!stop.stop_requested()) {
            std::this_thread::sleep_for(50ms);
            if (std::chrono::steady_clock::now() - since_.load() > 2s) device_.cancel();
        }
    }

    device::Device& device_;
    std::atomic<std::chrono::steady_clock::time_point> since_ = std::chrono::steady_clock::now();
    std::jthread thread_;
};

TEST(Fuzz, RunsOfLabs)
{
    constexpr std::size_t memory = std::size_t{4} << 20;
    labs::limit_memory(memory);
    const std::vector<RunnableSeed> seeds = runnable_labs();
    Mutator choices(5);
    const auto device = simt::make_device({.threads = 1});
    Patience patience(*device);
    int runs = 0;
    fuzz(
        "runs", {.inputs = 300, .allocation_bytes = 40 * memory},
        [&](Mutator& mutator) {
            const RunnableSeed& seed = mutator.any_of(seeds);
            return seed.lab->id + "\n" + changed(mutator, small_numbers(mutator, seed.record));
        },
        [&](const std::string& input) {
            if (++runs % 50 == 0) labs::forget_texts({});
            patience.begin();
            const std::size_t end = input.find('\n');
            const auto seed = std::ranges::find(
                seeds, input.substr(0, end), [](const RunnableSeed& one) { return one.lab->id; });
            ASSERT_NE(seed, seeds.end());
            labs::Texts texts{.base = seed->lab->id, .id = {}, .files = seed->files};
            texts.files["lab.json"] = input.substr(end + 1);
            run(labs::open_texts(texts), *device, choices);
        });
    labs::limit_memory(0);
}

} // namespace
} // namespace lanescope::test
