// Writes whole lines, so that a crash loses nothing that was reported before it.
#include "compute/runtime/reporting/report.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "compute/trace/reported.h"

namespace lanescope::runtime {

namespace {

using nlohmann::ordered_json;

// Addresses, or the line of a script.
ordered_json json(const CallSite& site)
{
    ordered_json frames = ordered_json::array();
    if (site.script != nullptr) {
        frames.push_back({"script:" + site.script->file, site.script->line});
        return frames;
    }
    for (const CallSite::Frame& frame : site.resolved())
        frames.push_back({frame.file, frame.offset});
    return frames;
}

ordered_json json(const WorkOrder& order)
{
    return {{"timeline", order.timeline}, {"after", order.after}};
}

std::string dumped(const ordered_json& json)
{
    return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Quotes a string for JSON. Nearly all names need no escaping and take a fast path: programs may
// launch 100,000 kernels.
std::string quoted(const std::string& text)
{
    const bool plain = std::ranges::all_of(
        text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    return plain ? '"' + text + '"' : dumped(text);
}

} // namespace

namespace {

int given_descriptor = -1;

// Removes the settings from the environment, so that child processes use their normal CUDA. Runs
// before the rest of this library.
__attribute__((constructor(101))) void take_environment()
{
    if (const char* const number = std::getenv("LANESCOPE_REPORT")) {
        given_descriptor = std::atoi(number);
        if (fcntl(given_descriptor, F_SETFD, FD_CLOEXEC) != 0) given_descriptor = -1;
        unsetenv("LANESCOPE_REPORT");
    }
    const char* const loaded = std::getenv("LD_PRELOAD");
    if (loaded != nullptr &&
        std::string_view(loaded).find("libcudart.so") != std::string_view::npos)
        unsetenv("LD_PRELOAD");
}

} // namespace

std::vector<Finding> leak_findings(const std::vector<Leaked>& leaked)
{
    struct Place {
        int count = 0;
        const Leaked* last = nullptr;
    };
    std::map<std::uintptr_t, Place> places;
    for (const Leaked& one : leaked) {
        Place& place = places[one.site.frames[0]];
        ++place.count;
        place.last = &one;
    }
    std::vector<Finding> findings;
    for (const auto& [address, place] : places) {
        Finding finding{.kind = "leak"};
        finding.call = place.last->call;
        finding.site = place.last->site;
        finding.message =
            place.count == 1
                ? fmt::format("{} bytes allocated by {} are never freed.", place.last->bytes,
                              place.last->call)
                : fmt::format("{} allocations by {}, the last one of {} bytes, are never freed.",
                              place.count, place.last->call, place.last->bytes);
        findings.push_back(std::move(finding));
    }
    return findings;
}

Report& Report::instance()
{
    static Report* const report = new Report; // never destroyed: used during process exit
    return *report;
}

Report::Report() : descriptor_(given_descriptor) {}

void Report::write(std::string whole)
{
    whole += '\n';
    const std::lock_guard lock(writing_);
    for (std::size_t done = 0; done < whole.size();) {
        const ssize_t wrote = ::write(descriptor_, whole.data() + done, whole.size() - done);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) {
            descriptor_ = -1;
            return;
        }
        done += static_cast<std::size_t>(wrote);
    }
}

std::uint64_t Report::number_of(const CallSite& site)
{
    if (site.count == 0 && site.script == nullptr) return 0;
    const std::lock_guard lock(numbering_);
    const auto [known, is_new] = numbers_.try_emplace({site.count, site.frames, site.script});
    if (is_new) {
        // Forked processes write to the same report, so ids include the process id.
        known->second = static_cast<std::uint64_t>(getpid()) << 32 | numbers_.size();
        write(dumped({{"event", "site"}, {"number", known->second}, {"frames", json(site)}}));
    }
    return known->second;
}

void Report::begin(int cuda_version, int devices)
{
    if (!has_listener()) return;
    write(ordered_json{{"event", "begin"}, {"cuda", cuda_version}, {"devices", devices}}.dump());
}

void Report::begin_on_gpu(int cuda_version, int devices)
{
    on_gpu_ = true;
    if (!has_listener()) return;
    write(ordered_json{
        {"event", "begin"}, {"engine", "cuda"}, {"cuda", cuda_version}, {"devices", devices}}
              .dump());
}

void Report::add_time(ordered_json& line, double machine_ms, std::optional<double> gpu_ms) const
{
    if (!on_gpu_) line["machine_ms"] = machine_ms;
    if (gpu_ms) line["gpu_ms"] = *gpu_ms;
}

void Report::launch(const LaunchRecord& record)
{
    if (!has_listener()) return;
    const auto size = [](const Dim3& of) { return fmt::format("[{},{},{}]", of.x, of.y, of.z); };
    const std::uint64_t site = number_of(record.site);
    std::string line =
        fmt::format(R"({{"event":"launch","index":{},"kernel":{},"symbol":{},"grid":{},"block":{},)"
                    R"("dynamic_shared_bytes":{},"stream":{},"device":{})",
                    record.index, quoted(record.kernel), quoted(record.symbol), size(record.grid),
                    size(record.block), record.shared_bytes, quoted(record.stream), record.device);
    const auto add = [&]<class... Values>(fmt::format_string<Values...> text, Values&&... values) {
        fmt::format_to(std::back_inserter(line), text, std::forward<Values>(values)...);
    };
    if (!on_gpu_) add(R"(,"machine_ms":{})", record.machine_ms);
    if (record.gpu_ms) add(R"(,"gpu_ms":{})", *record.gpu_ms);
    if (record.parent >= 0) add(R"(,"parent":{})", record.parent);
    if (record.cluster) add(R"(,"cluster":{})", size(*record.cluster));
    if (record.cooperative) line += R"(,"cooperative":true)";
    if (record.skipped) line += R"(,"skipped":true)";
    if (record.sample != nullptr) {
        add(R"(,"checked":{{"blocks":{},"of":{},"stopped":{})", record.sample->checked,
            record.sample->blocks, record.sample->stopped);
        if (!record.sample->reason_for_all.empty())
            line += R"(,"reason":)" + quoted(record.sample->reason_for_all);
        line += '}';
    }
    if (record.trace != nullptr) {
        line += R"(,"counts":[)";
        const trace::Totals totals = record.trace->totals();
        trace::for_reported(totals, [&](std::uint64_t number) { add("{},", number); });
        line.back() = ']';
    }
    add(R"(,"site":{},"order":{{"timeline":{},"after":[{}]}})", site, record.order.timeline,
        fmt::join(record.order.after, ","));
    if (!record.kept.is_null()) line += R"(,"kept":)" + dumped(record.kept);
    write(std::move(line) + '}');
}

void Report::copy(const CopyRecord& record)
{
    if (!has_listener()) return;
    ordered_json line{
        {"event", "copy"},       {"call", record.call},     {"direction", record.direction},
        {"bytes", record.bytes}, {"stream", record.stream}, {"device", record.device}};
    add_time(line, record.machine_ms, record.gpu_ms);
    line["order"] = json(record.order);
    line["site"] = number_of(record.site);
    write(dumped(line));
}

void Report::stream(const std::string& name, const CallSite& site)
{
    if (!has_listener()) return;
    write(ordered_json{{"event", "stream"}, {"name", name}, {"site", number_of(site)}}.dump());
}

void Report::find(const Finding& finding)
{
    if (!has_listener()) {
        std::fprintf(stderr, "lanescope: %s\n", finding.message.c_str());
        return;
    }
    ordered_json line{
        {"event", "finding"},
        {"kind", finding.kind.name()},
        {"severity", finding.kind.severity() == trace::Severity::fault ? "fault" : "warning"},
        {"message", finding.message}};
    if (!finding.call.empty()) line["call"] = finding.call;
    if (!finding.kernel.empty()) line["kernel"] = finding.kernel;
    if (!finding.file.empty()) line["file"] = finding.file;
    if (finding.line > 0) line["line"] = finding.line;
    if (finding.launch >= 0) line["launch"] = finding.launch;
    line["site"] = number_of(finding.site);
    if (finding.other_site.count > 0 || finding.other_site.script != nullptr)
        line["other_site"] = number_of(finding.other_site);
    write(dumped(line));
}

bool Report::is_launch(std::string_view name)
{
    return name.find("Launch") != name.npos || name.find("KernelNode") != name.npos;
}

void Report::missing(std::string_view name, std::string_view sentence, bool refuses_launch)
{
    std::string key = fmt::format("{}: {}", name, sentence);
    if (std::ranges::find(missing_, key) != missing_.end()) return;
    missing_.push_back(std::move(key));
    if (!has_listener()) {
        std::fprintf(stderr, "lanescope: %.*s\n", static_cast<int>(sentence.size()),
                     sentence.data());
        return;
    }
    write(ordered_json{{"event", "missing"},
                       {"name", name},
                       {"message", sentence},
                       {"refuses_launch", refuses_launch},
                       {"site", number_of(CallSite::here())}}
              .dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void Report::error(const ErrorRecord& record)
{
    if (!has_listener()) return;
    ordered_json line{
        {"event", "error"}, {"call", record.call}, {"error", record.error}, {"text", record.text}};
    if (!record.kernel.empty()) line["kernel"] = record.kernel;
    line["site"] = number_of(record.site);
    write(dumped(line));
}

void Report::end(std::uint64_t calls)
{
    if (!has_listener()) return;
    write(ordered_json{{"event", "end"}, {"calls", calls}}.dump());
}

void Report::end_on_gpu(const GpuSums& sums)
{
    if (!has_listener()) return;
    write(ordered_json{{"event", "end"},
                       {"graph_launches", sums.graph_launches},
                       {"unlisted", sums.unlisted},
                       {"allocations", sums.allocations},
                       {"peak_bytes", sums.peak_bytes}}
              .dump());
}

} // namespace lanescope::runtime
