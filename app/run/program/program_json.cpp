// One document for both, so that a key has one meaning.
#include "app/run/program/program_json.h"

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

} // namespace

ordered_json to_json(const ProgramResult& result)
{
    ordered_json launches = ordered_json::array();
    for (const ProgramLaunch& launch : result.report.launches) {
        ordered_json row{{"index", launch.index},
                         {"kernel", launch.kernel},
                         {"grid", size_json(launch.grid)},
                         {"block", size_json(launch.block)},
                         {"dynamic_shared_bytes", launch.shared_bytes},
                         {"stream", launch.stream},
                         {"device", launch.device},
                         {"order", launch.order},
                         {"place", launch.place},
                         {"machine_ms", launch.machine_ms},
                         {"counts", launch.counts},
                         {"launched_at", place_json(launch.host)}};
        if (launch.parent >= 0) row["parent"] = launch.parent;
        if (!launch.lab.empty()) row["lab"] = launch.lab.string();
        if (!launch.source.empty()) row["source"] = launch.source.string();
        if (!launch.not_kept.empty()) row["not_kept"] = launch.not_kept;
        launches.push_back(std::move(row));
    }
    ordered_json copies = ordered_json::object();
    for (const auto& [direction, sum] : result.report.copies)
        copies[direction] = {{"count", sum.count}, {"bytes", sum.bytes}};
    ordered_json each_copy = ordered_json::array();
    for (const ProgramCopy& copy : result.report.each_copy)
        each_copy.push_back({{"call", copy.call},
                             {"direction", copy.direction},
                             {"bytes", copy.bytes},
                             {"stream", copy.stream},
                             {"device", copy.device},
                             {"order", copy.order},
                             {"place", copy.place},
                             {"machine_ms", copy.machine_ms},
                             {"copied_at", place_json(copy.host)}});
    ordered_json findings = ordered_json::array();
    for (const ProgramFinding& finding : result.report.findings) {
        ordered_json row{{"kind", finding.kind},
                         {"severity", finding.fault ? "fault" : "warning"},
                         {"message", finding.message},
                         {"file", finding.file},
                         {"line", finding.line}};
        if (!finding.kernel.empty()) row["kernel"] = finding.kernel;
        if (!finding.call.empty()) row["call"] = finding.call;
        if (finding.launch >= 0) row["launch"] = finding.launch;
        if (!finding.other.file.empty()) row["other"] = place_json(finding.other);
        findings.push_back(std::move(row));
    }
    return {{"exit_status", result.end.status},
            {"signal", result.end.signal},
            {"out_of_time", result.end.out_of_time},
            {"finished", result.report.ended},
            {"output", result.end.output},
            {"error_output", result.end.error_output},
            {"build_s", result.build_s},
            {"run_s", result.run_s},
            {"launches", std::move(launches)},
            {"copies", std::move(copies)},
            {"each_copy", std::move(each_copy)},
            {"findings", std::move(findings)},
            {"missing", result.report.missing}};
}

ProgramResult program_result(const ordered_json& json)
{
    ProgramResult result;
    result.end.status = json.at("exit_status");
    result.end.signal = json.at("signal");
    result.end.out_of_time = json.at("out_of_time");
    result.end.output = json.at("output");
    result.end.error_output = json.at("error_output");
    result.build_s = json.at("build_s");
    result.run_s = json.at("run_s");
    ProgramReport& report = result.report;
    report.ended = json.at("finished");
    for (const auto& row : json.at("launches")) {
        ProgramLaunch launch;
        launch.index = row.at("index");
        launch.parent = row.value("parent", -1);
        launch.kernel = row.at("kernel");
        launch.grid = size_in(row.at("grid"));
        launch.block = size_in(row.at("block"));
        launch.shared_bytes = row.at("dynamic_shared_bytes");
        launch.stream = row.at("stream");
        launch.device = row.at("device");
        launch.order = row.at("order");
        launch.place = row.at("place");
        launch.machine_ms = row.at("machine_ms");
        launch.counts = row.at("counts");
        launch.host = place_in(row, "launched_at");
        launch.lab = row.value("lab", "");
        launch.source = row.value("source", "");
        launch.not_kept = row.value("not_kept", "");
        report.launches.push_back(std::move(launch));
    }
    for (const auto& [direction, sum] : json.at("copies").items())
        report.copies[direction] = {sum.at("count"), sum.at("bytes")};
    for (const auto& row : json.at("each_copy"))
        report.each_copy.push_back({.call = row.at("call"),
                                    .direction = row.at("direction"),
                                    .bytes = row.at("bytes"),
                                    .stream = row.at("stream"),
                                    .device = row.at("device"),
                                    .machine_ms = row.at("machine_ms"),
                                    .order = row.at("order"),
                                    .place = row.at("place"),
                                    .host = place_in(row, "copied_at")});
    for (const auto& row : json.at("findings")) {
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
        report.findings.push_back(std::move(finding));
    }
    for (const auto& sentence : json.at("missing")) report.missing.push_back(sentence);
    return result;
}

} // namespace lanescope::app
