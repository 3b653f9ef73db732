// Source lines come from addr2line, called once per file with all its addresses.
#include "app/run/program/program_report.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "app/run/program/program_file.h"
#include "compute/error.h"
#include "compute/process/process.h"
#include "compute/process/search_path.h"
#include "compute/process/walls.h"
#include "compute/trace/reported.h"

namespace lanescope::app {
namespace {

using nlohmann::ordered_json;

struct Line {
    std::string function, file;
    int line = 0;
};
// Inlined functions at an address, innermost first.
using Chain = std::vector<Line>;
using Address = std::pair<std::string, std::uint64_t>;

bool is_known(const Line& line)
{
    return line.line > 0 && !line.file.empty() && line.file[0] != '?';
}

// True for CUDA's headers and the start-up code around main().
bool is_foreign(const Line& line)
{
    for (const char* part :
         {"/cuda_runtime", "/crt/", "/cuda/include/", "/cccl/", "targets/x86_64-linux/include",
          ".stub.c", "/thrust/", "/cub/", "/usr/include/c++", "/sysdeps/"})
        if (line.file.find(part) != std::string::npos) return true;
    return false;
}

// True for system libraries: the user wants the line that called them.
bool is_system_library(const std::string& file)
{
    const std::string name = std::filesystem::path(file).filename().string();
    return name.starts_with("libc.so") || name.starts_with("libstdc++.so") ||
           name.starts_with("ld-linux");
}

// Some versions of addr2line name nvcc's intermediate file (tmpxft_…-6_NAME.cudafe1.cpp) for code
// of NAME.cu. Puts in the source that other addresses name, or nothing.
void name_sources(std::map<Address, Chain>& known)
{
    constexpr std::string_view ending = ".cudafe1.cpp";
    std::map<std::string, std::string> sources; // keyed by name without extension
    const auto each_line = [&](const auto& use) {
        for (auto& [address, chain] : known)
            for (Line& line : chain) use(line);
    };
    each_line([&](const Line& line) {
        if (is_known(line) && !line.file.ends_with(ending))
            sources.emplace(std::filesystem::path(line.file).stem().string(), line.file);
    });
    each_line([&](Line& line) {
        if (!line.file.ends_with(ending)) return;
        std::string name = std::filesystem::path(line.file).filename().string();
        name.resize(name.size() - ending.size());
        if (name.starts_with("tmpxft_")) {
            const std::size_t dash = name.find('-');
            const std::size_t begin = dash == name.npos ? name.npos : name.find('_', dash);
            if (begin != name.npos) name.erase(0, begin + 1);
        }
        const auto found = sources.find(name);
        line.file = found != sources.end() ? found->second : "";
    });
}

// The runtime library reports a line of a script as one frame: this word and the file, the line.
constexpr std::string_view script_word = "script:";

std::map<Address, Chain> ask(const std::set<Address>& addresses)
{
    std::map<Address, Chain> known;
    std::map<std::string, std::vector<std::uint64_t>> by_file;
    for (const auto& [file, offset] : addresses)
        if (!is_system_library(file) && !file.starts_with(script_word))
            by_file[file].push_back(offset);
    for (const auto& [file, offsets] : by_file) {
        try {
            const std::uint64_t first = read_program_file(file).first_address;
            std::vector<std::string> command{"addr2line", "-a", "-f", "-C", "-i", "-e", file};
            for (const std::uint64_t offset : offsets)
                command.push_back(fmt::format("{:#x}", offset + first));
            const auto addr2line = find_program(command.front());
            Walls walls = walls_for_program(addr2line.value_or(std::filesystem::path()));
            walls.readable.emplace_back(file);
            Process process(command, Process::Start{.walls = &walls});
            if (process.wait() != 0) continue;
            std::istringstream lines(process.output());
            Chain* chain = nullptr;
            std::size_t next = 0;
            for (std::string line; std::getline(lines, line);) {
                if (line.starts_with("0x") && next < offsets.size()) {
                    chain = &known[{file, offsets[next++]}];
                    continue;
                }
                std::string place;
                if (chain == nullptr || !std::getline(lines, place)) break;
                Line made{line, place, 0};
                const std::size_t colon = place.rfind(':');
                if (colon != place.npos) {
                    made.file = place.substr(0, colon);
                    std::from_chars(place.data() + colon + 1, place.data() + place.size(),
                                    made.line);
                }
                chain->push_back(std::move(made));
            }
        } catch (const std::exception&) {
            continue; // without addr2line, or if the file is gone, addresses are shown
        }
    }
    name_sources(known);
    return known;
}

// The innermost line of the program itself, after any kernel stubs.
HostPlace place_of(const std::vector<Address>& frames, const std::map<Address, Chain>& known)
{
    if (!frames.empty() && frames.front().first.starts_with(script_word))
        return {frames.front().first.substr(script_word.size()),
                static_cast<int>(frames.front().second)};
    std::vector<Line> lines;
    for (const Address& frame : frames)
        if (const auto found = known.find(frame); found != known.end())
            lines.insert(lines.end(), found->second.begin(), found->second.end());
    std::size_t first = 0;
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (lines[i].function.find("__device_stub__") != std::string::npos) first = i + 2;
    for (std::size_t i = first; i < lines.size(); ++i)
        if (is_known(lines[i]) && !is_foreign(lines[i])) return {lines[i].file, lines[i].line};
    if (frames.empty()) return {};
    return {fmt::format("{}+{:#x}", frames.front().first, frames.front().second), 0};
}

Dim3 size_of(const ordered_json& json)
{
    return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>(),
            json.at(2).get<std::uint32_t>()};
}

} // namespace

std::string HostPlace::text() const
{
    return line > 0 ? fmt::format("{}:{}", file, line) : file;
}

std::uint64_t ProgramLaunch::sectors() const
{
    if (!counts) return 0;
    return counts->global_load.sectors + counts->global_store.sectors +
           counts->global_atomic.sectors;
}

bool ProgramReport::has_faults() const
{
    return std::ranges::any_of(findings, &ProgramFinding::fault);
}

bool ProgramReport::has(std::string_view finding_kind) const
{
    return std::ranges::find(findings, finding_kind, &ProgramFinding::kind) != findings.end();
}

void ReportReader::take(std::string_view piece)
{
    rest_ += piece;
    const std::string_view all = rest_;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = all.find('\n', begin)) != all.npos; begin = end + 1)
        take_line(all.substr(begin, end - begin));
    rest_.erase(0, begin);
}

void ReportReader::take_site(const ordered_json& line)
{
    Frames made;
    for (const auto& frame : line.at("frames"))
        made.emplace_back(frame.at(0).get<std::string>(), frame.at(1).get<std::uint64_t>());
    if (made.empty()) return;
    site_of_[line.at("number").get<std::uint64_t>()] = sites_.size();
    sites_.push_back(std::move(made));
}

std::size_t ReportReader::site_in(const ordered_json& line, const char* key) const
{
    const auto known = site_of_.find(line.value(key, std::uint64_t{0}));
    return known == site_of_.end() ? 0 : known->second;
}

namespace {

std::optional<double> gpu_ms_in(const ordered_json& line)
{
    const auto found = line.find("gpu_ms");
    return found == line.end() ? std::optional<double>() : found->get<double>();
}

std::optional<trace::Totals> numbers_in(const ordered_json& line)
{
    const auto found = line.find("counts");
    if (found == line.end() || found->size() != trace::reported_numbers) return {};
    trace::Totals totals;
    auto next = found->begin();
    trace::for_reported(totals,
                        [&](std::uint64_t& number) { number = (next++)->get<std::uint64_t>(); });
    return totals;
}

} // namespace

void ReportReader::take_line(std::string_view text)
{
    const ordered_json line = ordered_json::parse(text, nullptr, false);
    if (line.is_discarded()) return; // the program itself wrote this text to the report
    const std::string event = line.value("event", "");
    if (event == "begin") {
        report_.cuda_version = line.value("cuda", 0);
        report_.on_gpu = line.value("engine", "") == "cuda";
    } else if (event == "launch") {
        take_launch(line);
    } else if (event == "copy") {
        take_copy(line);
    } else if (event == "site") {
        take_site(line);
    } else if (event == "stream") {
        streams_.emplace_back(line.value("name", ""), site_in(line, "site"));
    } else if (event == "finding") {
        take_finding(line);
    } else if (event == "missing") {
        report_.missing.push_back(line.value("message", ""));
        report_.launch_refused |= line.value("refuses_launch", false);
    } else if (event == "error") {
        report_.errors.push_back({line.value("call", ""), line.value("error", ""),
                                  line.value("text", ""), line.value("kernel", "")});
        error_places_.push_back(site_in(line, "site"));
    } else if (event == "end") {
        report_.ended = true;
        report_.calls = line.value("calls", std::uint64_t{0});
        report_.graph_launches = line.value("graph_launches", std::uint64_t{0});
        report_.unlisted = line.value("unlisted", std::uint64_t{0});
        report_.allocations = line.value("allocations", std::uint64_t{0});
        report_.peak_bytes = line.value("peak_bytes", std::uint64_t{0});
    }
}

void ReportReader::take_launch(const ordered_json& line)
{
    ProgramLaunch launch;
    launch.index = line.value("index", 0);
    launch.parent = line.value("parent", -1);
    launch.kernel = line.value("kernel", "");
    launch.symbol = line.value("symbol", "");
    launch.grid = size_of(line.at("grid"));
    launch.block = size_of(line.at("block"));
    if (line.contains("cluster")) launch.cluster = size_of(line.at("cluster"));
    launch.shared_bytes = line.value("dynamic_shared_bytes", std::uint64_t{0});
    launch.stream = line.value("stream", "");
    launch.device = line.value("device", 0);
    launch.machine_ms = line.value("machine_ms", 0.0);
    launch.gpu_ms = gpu_ms_in(line);
    launch.counts = numbers_in(line);
    launch.order = works_++;
    launch.place = place_of_work(line.value("order", ordered_json::object()));
    if (const auto checked = line.find("checked"); checked != line.end())
        launch.sample = trace::Sample{.checked = checked->at("blocks"),
                                      .blocks = checked->at("of"),
                                      .reason_for_all = checked->value("reason", ""),
                                      .stopped = checked->at("stopped")};
    launch.kept = line.value("kept", ordered_json());
    if (launch.kept.contains("problem"))
        launch.not_kept = launch.kept["problem"].get<std::string>();
    report_.launches.push_back(std::move(launch));
    launch_places_.push_back(site_in(line, "site"));
}

void ReportReader::take_copy(const ordered_json& line)
{
    ProgramCopy copy{.call = line.value("call", ""),
                     .direction = line.value("direction", ""),
                     .bytes = line.value("bytes", std::uint64_t{0}),
                     .stream = line.value("stream", ""),
                     .device = line.value("device", 0),
                     .machine_ms = line.value("machine_ms", 0.0),
                     .gpu_ms = gpu_ms_in(line)};
    copy.order = works_++;
    copy.place = place_of_work(line.value("order", ordered_json::object()));
    CopySum& sum = report_.copies[copy.direction];
    ++sum.count;
    sum.bytes += copy.bytes;
    report_.each_copy.push_back(std::move(copy));
    copy_places_.push_back(site_in(line, "site"));
}

void ReportReader::take_finding(const ordered_json& line)
{
    ProgramFinding finding;
    finding.kind = line.value("kind", "");
    finding.message = line.value("message", "");
    finding.fault = line.value("severity", "fault") == "fault";
    finding.call = line.value("call", "");
    finding.kernel = line.value("kernel", "");
    finding.file = line.value("file", "");
    finding.line = line.value("line", 0);
    finding.launch = line.value("launch", -1);
    report_.findings.push_back(std::move(finding));
    finding_places_.push_back({site_in(line, "site"), site_in(line, "other_site")});
}

// Returns the length of the longest dependency chain before the work.
int ReportReader::place_of_work(const ordered_json& order)
{
    const int timeline = order.value("timeline", 0);
    const auto after = order.value("after", std::vector<std::uint64_t>());
    std::uint64_t own = 0;
    int place = 0;
    for (std::size_t other = 0; other < after.size(); ++other) {
        const auto& ends = ends_[static_cast<int>(other)];
        if (static_cast<int>(other) == timeline) own = after[other];
        const auto next = ends.upper_bound(after[other]);
        if (next != ends.begin()) place = std::max(place, std::prev(next)->second);
    }
    ends_[timeline][own] = place + 1;
    return place;
}

namespace {

// "upload" from "cudaStreamCreate(&upload);" in that line of the file; empty if written
// differently.
std::string name_in(const HostPlace& place)
{
    std::ifstream file(place.file);
    std::string line;
    for (int number = 0; number < place.line; ++number)
        if (!std::getline(file, line)) return {};
    std::size_t call = line.find("cudaStreamCreate");
    if (call == line.npos) call = line.find("cuStreamCreate");
    if (call == line.npos) return {};
    std::size_t begin = line.find('(', call);
    if (begin == line.npos) return {};
    begin = line.find_first_not_of("(& \t", begin);
    const std::size_t end = line.find_first_of(",)", begin == line.npos ? call : begin);
    if (begin == line.npos || end == line.npos) return {};
    std::string name = line.substr(begin, end - begin);
    while (!name.empty() && name.back() == ' ') name.pop_back();
    return name.size() > 32 ? std::string() : name;
}

} // namespace

void name_streams(std::string& message, const std::map<std::string, std::string>& names)
{
    constexpr std::string_view word = "stream ";
    for (std::size_t at = message.find(word); at != message.npos; at = message.find(word, at)) {
        at += word.size();
        const std::size_t end =
            std::min(message.find_first_not_of("0123456789", at), message.size());
        const auto known = names.find(message.substr(at, end - at));
        if (known != names.end()) message.replace(at, end - at, known->second);
    }
}

// Stream names from the program's source, if readable: several created on one line are array
// elements.
std::map<std::string, std::string>
ReportReader::stream_names(const std::function<HostPlace(std::size_t)>& place) const
{
    std::map<std::string, std::string> names;
    std::map<std::string, int> uses;
    std::vector<std::string> written;
    for (const auto& [number, site] : streams_) {
        written.push_back(name_in(place(site)));
        ++uses[written.back()];
    }
    std::map<std::string, int> seen;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        std::string name = written[i];
        if (name.empty()) continue;
        const std::size_t bracket = name.find('[');
        const int element = seen[name]++;
        if (bracket != name.npos || uses[name] > 1)
            name = fmt::format("{}[{}]", name.substr(0, bracket), element);
        names[streams_[i].first] = name;
    }
    return names;
}

ProgramReport ReportReader::finish()
{
    std::set<Address> addresses;
    for (const Frames& site : sites_) addresses.insert(site.begin(), site.end());
    const auto known = ask(addresses);
    std::vector<HostPlace> places;
    for (const Frames& site : sites_) places.push_back(place_of(site, known));
    const auto place = [&](std::size_t site) -> const HostPlace& { return places[site]; };
    for (std::size_t i = 0; i < report_.findings.size(); ++i) {
        ProgramFinding& finding = report_.findings[i];
        finding.host = place(finding_places_[i].host);
        finding.other = place(finding_places_[i].other);
        if (finding.line == 0) {
            finding.file = finding.host.file;
            finding.line = finding.host.line;
        }
    }
    for (std::size_t i = 0; i < report_.launches.size(); ++i)
        report_.launches[i].host = place(launch_places_[i]);
    for (std::size_t i = 0; i < report_.each_copy.size(); ++i)
        report_.each_copy[i].host = place(copy_places_[i]);
    for (std::size_t i = 0; i < report_.errors.size(); ++i)
        report_.errors[i].host = place(error_places_[i]);
    const auto names = stream_names(place);
    for (ProgramFinding& finding : report_.findings) name_streams(finding.message, names);
    const auto rename = [&](std::string& stream) {
        if (const auto known = names.find(stream); known != names.end()) stream = known->second;
    };
    for (ProgramLaunch& launch : report_.launches)
        if (launch.parent < 0) rename(launch.stream);
    for (ProgramCopy& copy : report_.each_copy) rename(copy.stream);
    return std::move(report_);
}

} // namespace lanescope::app
