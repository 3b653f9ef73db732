// Describes each field once, for reading and writing.
#include "app/run/program/program_json.h"

#include "compute/trace/reported.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

ordered_json place_json(const HostPlace& place)
{
    return {{"file", place.file}, {"line", place.line}};
}

ordered_json size_json(const Dim3& size)
{
    return {size.x, size.y, size.z};
}

HostPlace place_in(const ordered_json& json, const char* key)
{
    const auto found = json.find(key);
    if (found == json.end()) return {};
    return {found->value("file", ""), found->value("line", 0)};
}

Dim3 size_in(const ordered_json& json)
{
    return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>(),
            json.at(2).get<std::uint32_t>()};
}

ordered_json counts_json(const trace::Totals& totals)
{
    ordered_json all;
    for (const trace::ReportedCounts& counts : trace::reported_counts)
        for (const trace::ReportedField& field : trace::reported_fields)
            all[counts.name][field.name] = totals.*counts.of.*field.field;
    for (const trace::ReportedSum& sum : trace::reported_sums) all[sum.name] = totals.*sum.sum;
    return all;
}

std::optional<trace::Totals> counts_in(const ordered_json& row)
{
    const auto found = row.find("counts");
    if (found == row.end()) return {};
    trace::Totals totals;
    for (const trace::ReportedCounts& counts : trace::reported_counts)
        for (const trace::ReportedField& field : trace::reported_fields)
            totals.*counts.of.*field.field = found->at(counts.name).at(field.name);
    for (const trace::ReportedSum& sum : trace::reported_sums)
        totals.*sum.sum = found->at(sum.name);
    return totals;
}

ordered_json checked_json(const trace::Sample& sample)
{
    ordered_json json{
        {"blocks", sample.checked}, {"of", sample.blocks}, {"stopped", sample.stopped}};
    if (!sample.reason_for_all.empty()) json["reason"] = sample.reason_for_all;
    return json;
}

std::optional<trace::Sample> sample_in(const ordered_json& row)
{
    const auto found = row.find("checked");
    if (found == row.end()) return {};
    return trace::Sample{.checked = found->at("blocks"),
                         .blocks = found->at("of"),
                         .reason_for_all = found->value("reason", ""),
                         .stopped = found->at("stopped")};
}

// For a launch or a copy: includes the GPU's time if measured.
template <class Work>
void add_time(ordered_json& row, const Work& work, bool on_gpu)
{
    if (work.gpu_ms) row["gpu_ms"] = *work.gpu_ms;
    if (!on_gpu) row["machine_ms"] = work.machine_ms;
}

template <class Work>
void take_time(const ordered_json& row, Work& work)
{
    work.machine_ms = row.value("machine_ms", 0.0);
    if (const auto found = row.find("gpu_ms"); found != row.end())
        work.gpu_ms = found->template get<double>();
}

// Fields that only GPU runs have.
void add_gpu(ordered_json& all, const ProgramReport& report)
{
    ordered_json errors = ordered_json::array();
    for (const ProgramError& error : report.errors) {
        ordered_json row{{"call", error.call}, {"error", error.error}, {"text", error.text}};
        if (!error.kernel.empty()) row["kernel"] = error.kernel;
        row["called_at"] = place_json(error.host);
        errors.push_back(std::move(row));
    }
    all["not_checked"] = not_checked_sentence;
    all["errors"] = std::move(errors);
    all["graph_launches"] = report.graph_launches;
    all["unlisted"] = report.unlisted;
    all["allocations"] = report.allocations;
    all["peak_bytes"] = report.peak_bytes;
}

void take_gpu(const ordered_json& all, ProgramReport& report)
{
    for (const auto& row : all.at("errors"))
        report.errors.push_back({row.at("call"), row.at("error"), row.at("text"),
                                 row.value("kernel", ""), place_in(row, "called_at")});
    report.graph_launches = all.at("graph_launches");
    report.unlisted = all.at("unlisted");
    report.allocations = all.at("allocations");
    report.peak_bytes = all.at("peak_bytes");
}

ordered_json predicted_json(const ProgramLaunch::Predicted& made)
{
    ordered_json json{{"gpu", made.gpu}};
    if (!made.unavailable.empty()) {
        json["unavailable"] = made.unavailable;
        return json;
    }
    json["predicted_us"] = made.us;
    json["launch_us"] = made.launch_us;
    json["limited_by"] = made.limit;
    json["ninety_percent"] = made.ninety_percent_error;
    json["validated"] = made.validated;
    return json;
}

std::optional<ProgramLaunch::Predicted> predicted_in(const ordered_json& row)
{
    const auto found = row.find("time");
    if (found == row.end()) return {};
    return ProgramLaunch::Predicted{.gpu = found->at("gpu"),
                                    .us = found->value("predicted_us", 0.0),
                                    .launch_us = found->value("launch_us", 0.0),
                                    .limit = found->value("limited_by", ""),
                                    .ninety_percent_error = found->value("ninety_percent", 0.0),
                                    .validated = found->value("validated", false),
                                    .unavailable = found->value("unavailable", "")};
}

ordered_json row_of(const ProgramLaunch& launch, bool on_gpu)
{
    ordered_json row{{"index", launch.index},
                     {"kernel", launch.kernel},
                     {"grid", size_json(launch.grid)},
                     {"block", size_json(launch.block)},
                     {"dynamic_shared_bytes", launch.shared_bytes},
                     {"stream", launch.stream},
                     {"device", launch.device},
                     {"order", launch.order},
                     {"place", launch.place}};
    if (launch.cluster) row["cluster"] = size_json(*launch.cluster);
    add_time(row, launch, on_gpu);
    if (launch.counts) row["counts"] = counts_json(*launch.counts);
    if (launch.sample) row["checked"] = checked_json(*launch.sample);
    row["launched_at"] = place_json(launch.host);
    if (launch.parent >= 0) row["parent"] = launch.parent;
    if (!launch.lab.empty()) row["lab"] = launch.lab.string();
    if (!launch.source.empty()) row["source"] = launch.source.string();
    if (!launch.not_kept.empty()) row["not_kept"] = launch.not_kept;
    if (launch.predicted) row["time"] = predicted_json(*launch.predicted);
    return row;
}

ordered_json row_of(const ProgramCopy& copy, bool on_gpu)
{
    ordered_json row{{"call", copy.call},     {"direction", copy.direction}, {"bytes", copy.bytes},
                     {"stream", copy.stream}, {"device", copy.device},       {"order", copy.order},
                     {"place", copy.place}};
    add_time(row, copy, on_gpu);
    row["copied_at"] = place_json(copy.host);
    return row;
}

ordered_json row_of(const ProgramFinding& finding)
{
    ordered_json row{{"kind", finding.kind},
                     {"severity", finding.fault ? "fault" : "warning"},
                     {"message", finding.message},
                     {"file", finding.file},
                     {"line", finding.line}};
    if (!finding.kernel.empty()) row["kernel"] = finding.kernel;
    if (!finding.call.empty()) row["call"] = finding.call;
    if (finding.launch >= 0) row["launch"] = finding.launch;
    if (!finding.other.file.empty()) row["other"] = place_json(finding.other);
    return row;
}

ProgramLaunch launch_in(const ordered_json& row)
{
    ProgramLaunch launch;
    launch.index = row.at("index");
    launch.parent = row.value("parent", -1);
    launch.kernel = row.at("kernel");
    launch.grid = size_in(row.at("grid"));
    launch.block = size_in(row.at("block"));
    if (row.contains("cluster")) launch.cluster = size_in(row.at("cluster"));
    launch.shared_bytes = row.at("dynamic_shared_bytes");
    launch.stream = row.at("stream");
    launch.device = row.at("device");
    launch.order = row.at("order");
    launch.place = row.at("place");
    take_time(row, launch);
    launch.counts = counts_in(row);
    launch.sample = sample_in(row);
    launch.host = place_in(row, "launched_at");
    launch.lab = row.value("lab", "");
    launch.source = row.value("source", "");
    launch.not_kept = row.value("not_kept", "");
    launch.predicted = predicted_in(row);
    return launch;
}

ProgramCopy copy_in(const ordered_json& row)
{
    ProgramCopy copy{.call = row.at("call"),
                     .direction = row.at("direction"),
                     .bytes = row.at("bytes"),
                     .stream = row.at("stream"),
                     .device = row.at("device"),
                     .order = row.at("order"),
                     .place = row.at("place"),
                     .host = place_in(row, "copied_at")};
    take_time(row, copy);
    return copy;
}

ProgramFinding finding_in(const ordered_json& row)
{
    ProgramFinding finding;
    finding.kind = row.at("kind");
    finding.fault = row.at("severity") == "fault";
    finding.message = row.at("message");
    finding.file = row.at("file");
    finding.line = row.at("line");
    finding.kernel = row.value("kernel", "");
    finding.call = row.value("call", "");
    finding.launch = row.value("launch", -1);
    finding.other = place_in(row, "other");
    return finding;
}

} // namespace

ordered_json to_json(const ProgramResult& result)
{
    ordered_json launches = ordered_json::array();
    for (const ProgramLaunch& launch : result.report.launches)
        launches.push_back(row_of(launch, result.report.on_gpu));
    ordered_json copies = ordered_json::object();
    for (const auto& [direction, sum] : result.report.copies)
        copies[direction] = {{"count", sum.count}, {"bytes", sum.bytes}};
    ordered_json each_copy = ordered_json::array();
    for (const ProgramCopy& copy : result.report.each_copy)
        each_copy.push_back(row_of(copy, result.report.on_gpu));
    ordered_json findings = ordered_json::array();
    for (const ProgramFinding& finding : result.report.findings)
        findings.push_back(row_of(finding));
    ordered_json all{{"exit_status", result.end.status},
                     {"signal", result.end.signal},
                     {"out_of_time", result.end.out_of_time},
                     {"on_request", result.end.on_request},
                     {"finished", result.report.ended},
                     {"engine", result.report.on_gpu ? "cuda" : "simt"},
                     {"output", result.end.output},
                     {"error_output", result.end.error_output},
                     {"build_s", result.build_s},
                     {"run_s", result.run_s},
                     {"launches", std::move(launches)},
                     {"copies", std::move(copies)},
                     {"each_copy", std::move(each_copy)},
                     {"findings", std::move(findings)},
                     {"missing", result.report.missing}};
    if (result.report.on_gpu) add_gpu(all, result.report);
    return all;
}

ProgramResult program_result(const ordered_json& json)
{
    ProgramResult result;
    result.end.status = json.at("exit_status");
    result.end.signal = json.at("signal");
    result.end.out_of_time = json.at("out_of_time");
    result.end.on_request = json.at("on_request");
    result.end.output = json.at("output");
    result.end.error_output = json.at("error_output");
    result.build_s = json.at("build_s");
    result.run_s = json.at("run_s");
    ProgramReport& report = result.report;
    report.ended = json.at("finished");
    report.on_gpu = json.at("engine") == "cuda";
    if (report.on_gpu) take_gpu(json, report);
    for (const auto& row : json.at("launches")) report.launches.push_back(launch_in(row));
    for (const auto& [direction, sum] : json.at("copies").items())
        report.copies[direction] = {sum.at("count"), sum.at("bytes")};
    for (const auto& row : json.at("each_copy")) report.each_copy.push_back(copy_in(row));
    for (const auto& row : json.at("findings")) report.findings.push_back(finding_in(row));
    for (const auto& sentence : json.at("missing")) report.missing.push_back(sentence);
    return result;
}

} // namespace lanescope::app
