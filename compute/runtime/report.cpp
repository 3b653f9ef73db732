// A line is written whole, so that whoever reads loses nothing that came before a crash.
#include "compute/runtime/report.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace lanescope::runtime {

namespace {

using nlohmann::ordered_json;

ordered_json json(const CallSite& site)
{
    ordered_json frames = ordered_json::array();
    for (const CallSite::Frame& frame : site.resolved())
        frames.push_back({frame.file, frame.offset});
    return frames;
}

ordered_json json(const Dim3& size)
{
    return {size.x, size.y, size.z};
}

ordered_json json(const WorkOrder& order)
{
    return {{"timeline", order.timeline}, {"after", order.after}};
}

ordered_json json(const trace::Counts& counts)
{
    return {{"requests", counts.requests},
            {"sectors", counts.sectors},
            {"wavefronts", counts.wavefronts}};
}

ordered_json json(const trace::Totals& totals)
{
    return {{"global_load", json(totals.global_load)},
            {"global_store", json(totals.global_store)},
            {"global_atomic", json(totals.global_atomic)},
            {"shared_load", json(totals.shared_load)},
            {"shared_store", json(totals.shared_store)},
            {"shared_atomic", json(totals.shared_atomic)},
            {"branches", totals.branches},
            {"divergent_branches", totals.divergent_branches},
            {"warp_instructions", totals.warp_instructions},
            {"thread_instructions", totals.thread_instructions}};
}

} // namespace

namespace {

int given_descriptor = -1;

// Programs that this one starts are not asked, and find the CUDA that they always find.
// Before what else begins with this library.
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
        Finding finding{.kind = "leak", .severity = Severity::warning};
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
    static Report* const report = new Report; // calls come while the process ends, too
    return *report;
}

Report::Report() : descriptor_(given_descriptor) {}

void Report::write(const std::string& line)
{
    const std::string whole = line + '\n';
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

void Report::begin(int cuda_version, int devices)
{
    if (!listened_to()) return;
    write(ordered_json{{"event", "begin"}, {"cuda", cuda_version}, {"devices", devices}}.dump());
}

void Report::begin_on_gpu(int cuda_version, int devices)
{
    on_gpu_ = true;
    if (!listened_to()) return;
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
    if (!listened_to()) return;
    ordered_json line{{"event", "launch"},
                      {"index", record.index},
                      {"kernel", record.kernel},
                      {"symbol", record.symbol},
                      {"grid", json(record.grid)},
                      {"block", json(record.block)},
                      {"dynamic_shared_bytes", record.shared_bytes},
                      {"stream", record.stream},
                      {"device", record.device}};
    add_time(line, record.machine_ms, record.gpu_ms);
    if (record.parent >= 0) line["parent"] = record.parent;
    if (record.cooperative) line["cooperative"] = true;
    if (record.skipped) line["skipped"] = true;
    if (record.trace != nullptr) line["counts"] = json(record.trace->totals());
    line["site"] = json(record.site);
    line["order"] = json(record.order);
    if (!record.kept.is_null()) line["kept"] = record.kept;
    write(line.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void Report::copy(const CopyRecord& record)
{
    if (!listened_to()) return;
    ordered_json line{
        {"event", "copy"},       {"call", record.call},     {"direction", record.direction},
        {"bytes", record.bytes}, {"stream", record.stream}, {"device", record.device}};
    add_time(line, record.machine_ms, record.gpu_ms);
    line["order"] = json(record.order);
    line["site"] = json(record.site);
    write(line.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void Report::stream(const std::string& name, const CallSite& site)
{
    if (!listened_to()) return;
    write(ordered_json{{"event", "stream"}, {"name", name}, {"site", json(site)}}.dump());
}

void Report::find(const Finding& finding)
{
    if (!listened_to()) {
        std::fprintf(stderr, "lanescope: %s\n", finding.message.c_str());
        return;
    }
    ordered_json line{{"event", "finding"},
                      {"kind", finding.kind},
                      {"severity", finding.severity == Severity::fault ? "fault" : "warning"},
                      {"message", finding.message}};
    if (!finding.call.empty()) line["call"] = finding.call;
    if (!finding.kernel.empty()) line["kernel"] = finding.kernel;
    if (!finding.file.empty()) line["file"] = finding.file;
    if (finding.line > 0) line["line"] = finding.line;
    if (finding.launch >= 0) line["launch"] = finding.launch;
    line["site"] = json(finding.site);
    if (finding.other_site.count > 0) line["other_site"] = json(finding.other_site);
    write(line.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void Report::missing(std::string_view name, std::string_view sentence)
{
    if (std::ranges::find(missing_, name) != missing_.end()) return;
    missing_.emplace_back(name);
    if (!listened_to()) {
        std::fprintf(stderr, "lanescope: %.*s\n", static_cast<int>(sentence.size()),
                     sentence.data());
        return;
    }
    write(ordered_json{{"event", "missing"},
                       {"name", name},
                       {"message", sentence},
                       {"site", json(CallSite::here())}}
              .dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void Report::error(const ErrorRecord& record)
{
    if (!listened_to()) return;
    ordered_json line{
        {"event", "error"}, {"call", record.call}, {"error", record.error}, {"text", record.text}};
    if (!record.kernel.empty()) line["kernel"] = record.kernel;
    line["site"] = json(record.site);
    write(line.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

void Report::end(std::uint64_t calls)
{
    if (!listened_to()) return;
    write(ordered_json{{"event", "end"}, {"calls", calls}}.dump());
}

void Report::end_on_gpu(const GpuSums& sums)
{
    if (!listened_to()) return;
    write(ordered_json{{"event", "end"},
                       {"graph_launches", sums.graph_launches},
                       {"unlisted", sums.unlisted},
                       {"allocations", sums.allocations},
                       {"peak_bytes", sums.peak_bytes}}
              .dump());
}

} // namespace lanescope::runtime
