// `lanescope layout`: the bank conflicts of accesses to a tile in shared memory, lane by lane, and
// a search for layouts without any. Needs no GPU.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/shared/json_output.h"
#include "app/export/table.h"
#include "app/run/layout/layout_bench.h"
#include "compute/endings.h"
#include "compute/numbers.h"
#include "render/capture/figure.h"
#include "render/capture/file.h"
#include "render/views/lanes.h"
#include "render/views/paint/theme.h"

namespace lanescope::app {
namespace {

using counting::Layout;
using nlohmann::ordered_json;

constexpr std::size_t max_shown = 8; // layouts that a search prints

struct LayoutOptions {
    std::string layout;
    std::string element = "f32";
    std::vector<std::string> accesses;
    bool search = false;
    std::string output;
    std::string theme = "light";
    bool json = false;
};

int element_bytes(const std::string& name)
{
    struct Type {
        std::string_view name;
        int bytes;
    };
    static constexpr auto types = std::to_array<Type>(
        {{"1", 1},    {"2", 2},   {"4", 4},   {"8", 8},    {"16", 16},    {"u8", 1},     {"s8", 1},
         {"e4m3", 1}, {"f16", 2}, {"u16", 2}, {"bf16", 2}, {"f32", 4},    {"u32", 4},    {"s32", 4},
         {"tf32", 4}, {"f64", 8}, {"u64", 8}, {"s64", 8},  {"float2", 8}, {"float4", 16}});
    const auto found = std::ranges::find(types, name, &Type::name);
    if (found == types.end())
        throw Error(ExitStatus::bad_usage, fmt::format("There is no element type \"{}\".", name),
                    "Write f32, f16, bf16, u8, f64 or the like, or a size of 1 to 16 bytes.");
    return found->bytes;
}

// Banks that a lane's bytes are in: "4" or "4-7".
std::string banks_of(std::uint64_t offset, int width_bytes)
{
    const std::uint64_t first = offset / counting::bank_bytes % counting::banks;
    const int words = std::max(width_bytes / counting::bank_bytes, 1);
    return words == 1 ? std::to_string(first)
                      : fmt::format("{}-{}", first, first + static_cast<std::uint64_t>(words) - 1);
}

std::string instruction_name(const TileAccess& access)
{
    switch (access.kind) {
    case TileAccess::Kind::load: return fmt::format("load, {} B per lane", access.width_bytes);
    case TileAccess::Kind::store: return fmt::format("store, {} B per lane", access.width_bytes);
    case TileAccess::Kind::load_matrix: return fmt::format("ldmatrix.x{}", access.matrices);
    default: return fmt::format("stmatrix.x{}", access.matrices);
    }
}

// "8 wavefronts, 1 needed"
std::string cost_text(const counting::SharedCost& cost)
{
    return fmt::format("{} wavefront{}, {} needed", cost.wavefronts,
                       cost.wavefronts == 1 ? "" : "s", cost.ideal_wavefronts);
}

Table lanes_table(const MeasuredAccess& measured)
{
    Table table({{"lane", true}, {"row", true}, {"column", true}, {"byte", true}, {"banks", true}});
    for (std::size_t lane = 0; lane < measured.offsets.size(); ++lane) {
        if ((measured.access.active >> lane & 1) == 0) continue;
        const TileAccess::Coordinate& at = measured.access.lanes[lane];
        table.add({std::to_string(lane), std::to_string(at.row), std::to_string(at.column),
                   std::to_string(measured.offsets[lane]),
                   banks_of(measured.offsets[lane], measured.access.width_bytes)});
    }
    return table;
}

ordered_json as_json(const MeasuredAccess& measured)
{
    ordered_json lanes = ordered_json::array();
    for (std::size_t lane = 0; lane < measured.offsets.size(); ++lane)
        if ((measured.access.active >> lane & 1) != 0)
            lanes.push_back({{"lane", lane},
                             {"row", measured.access.lanes[lane].row},
                             {"column", measured.access.lanes[lane].column},
                             {"byte", measured.offsets[lane]}});
    return {{"access", measured.access.text},
            {"instruction", instruction_name(measured.access)},
            {"width", measured.access.width_bytes},
            {"wavefronts", measured.cost.wavefronts},
            {"ideal_wavefronts", measured.cost.ideal_wavefronts},
            {"lanes", std::move(lanes)}};
}

ordered_json as_json(const FoundLayout& found, int bytes)
{
    ordered_json costs = ordered_json::array();
    for (const counting::SharedCost& cost : found.costs)
        costs.push_back(
            {{"wavefronts", cost.wavefronts}, {"ideal_wavefronts", cost.ideal_wavefronts}});
    return {{"layout", found.layout.text()},
            {"explanation", explanation(found.layout, bytes)},
            {"bytes", found.memory_bytes},
            {"accesses", std::move(costs)}};
}

// One drawing of lanes and banks below the other.
void save_figure(const std::filesystem::path& path, const std::vector<MeasuredAccess>& all,
                 const Layout& layout, const render::Theme& theme)
{
    constexpr float width = 1600, height = 620, text_px = 22, margin = 24;
    const auto figure =
        render::make_figure(path, width, height * static_cast<float>(all.size()), theme.background);
    float top = 0;
    for (const MeasuredAccess& measured : all) {
        render::WarpAccess access;
        access.addresses = measured.offsets;
        access.active = measured.access.active;
        access.width_bytes = measured.access.width_bytes;
        access.paid = static_cast<int>(measured.cost.wavefronts);
        access.ideal = static_cast<int>(measured.cost.ideal_wavefronts);
        access.title = fmt::format("{}: {}", layout.text(), measured.access.text);
        access.memory = "tile";
        render::draw_lanes_to_banks(*figure,
                                    {margin, top + margin, width - 2 * margin, height - 2 * margin},
                                    access, theme, text_px);
        top += height;
    }
    figure->save(path);
}

void save(const LayoutOptions& options, const std::vector<MeasuredAccess>& all,
          const Layout& layout)
{
    const std::filesystem::path path = options.output;
    const std::string ending = path.extension().string();
    if (ending == ending::csv || ending == ending::markdown) {
        std::string text;
        for (const MeasuredAccess& measured : all) {
            const Table table = lanes_table(measured);
            text += (text.empty() ? "" : "\n") +
                    (ending == ending::csv ? table.csv() : table.markdown());
        }
        return render::write_file(path, text);
    }
    save_figure(path, all, layout,
                options.theme == "light" ? render::light_theme : render::dark_theme);
}

void print_search(const std::vector<FoundLayout>& found, std::span<const TileAccess> accesses,
                  int bytes)
{
    std::vector<Table::Column> columns{{"layout"}, {"bytes", true}};
    for (const TileAccess& access : accesses) columns.push_back({access.text, true});
    columns.push_back({"how"});
    Table table(std::move(columns));
    for (const FoundLayout& each : std::span(found).first(std::min(found.size(), max_shown))) {
        std::vector<std::string> row{each.layout.text(), std::to_string(each.memory_bytes)};
        for (const counting::SharedCost& cost : each.costs)
            row.push_back(fmt::format("{} / {}", cost.wavefronts, cost.ideal_wavefronts));
        row.push_back(explanation(each.layout, bytes));
        table.add(std::move(row));
    }
    fmt::print("\n{}Wavefronts / needed for each access, by the counting rules; the best {} of {} "
               "layouts.\n",
               table.text(), std::min(found.size(), max_shown), found.size());
}

// Rows and columns, where the tile has room for a warp.
std::vector<std::string> usual_accesses(const Layout& layout)
{
    std::vector<std::string> usual;
    if (layout.columns() >= counting::banks) usual.emplace_back("row");
    if (layout.rows() >= counting::banks) usual.emplace_back("column");
    if (usual.empty())
        throw Error(ExitStatus::bad_usage,
                    fmt::format("The layout has {} rows and {} columns, too few for a warp's row "
                                "or column.",
                                layout.rows(), layout.columns()),
                    "Describe the access, for example --access \"floor(lane/4), mod(lane,4)\" or "
                    "--access ldmatrix.x1.");
    return usual;
}

ExitStatus layout_bench(const LayoutOptions& options)
{
    const Layout layout = Layout::read(options.layout);
    const int bytes = element_bytes(options.element);
    std::vector<TileAccess> accesses;
    for (const std::string& text :
         options.accesses.empty() ? usual_accesses(layout) : options.accesses)
        accesses.push_back(read_access(text, layout, bytes));
    std::vector<MeasuredAccess> all;
    for (const TileAccess& access : accesses) all.push_back(measure(access, layout, bytes));
    std::vector<FoundLayout> found;
    if (options.search) found = search_layouts(accesses, layout, bytes);
    if (!options.output.empty()) save(options, all, layout);

    const std::uint64_t memory = layout.memory() * static_cast<std::uint64_t>(bytes);
    if (options.json) {
        ordered_json json{{"layout", layout.text()},
                          {"rows", layout.rows()},
                          {"columns", layout.columns()},
                          {"element_bytes", bytes},
                          {"bytes", memory},
                          {"engine", "simt"},
                          {"accesses", ordered_json::array()}};
        for (const MeasuredAccess& measured : all) json["accesses"].push_back(as_json(measured));
        for (const FoundLayout& each : found) json["found"].push_back(as_json(each, bytes));
        print_json(json);
        return ExitStatus::done;
    }
    fmt::print("{}: {} × {} elements of {} bytes, {} bytes of shared memory\n", layout.text(),
               layout.rows(), layout.columns(), bytes, grouped(memory));
    for (const MeasuredAccess& measured : all)
        fmt::print("\n{} ({}): {}, counted on simt\n{}", measured.access.text,
                   instruction_name(measured.access), cost_text(measured.cost),
                   options.search ? "" : lanes_table(measured).text());
    if (options.search) print_search(found, accesses, bytes);
    return ExitStatus::done;
}

} // namespace

void add_layout(CLI::App& program, Subcommand& chosen)
{
    CLI::App* command = program.add_subcommand(
        "layout", "Show the bank conflicts of a tile's layout in shared memory, lane by lane");
    const auto options = std::make_shared<LayoutOptions>();
    command
        ->add_option("layout", options->layout,
                     "Rows and columns (32x32, 32x32+1 with padding) or a layout as CuTe writes it "
                     "(Sw<3,3,3> o (8,64):(64,1))")
        ->required();
    command->add_option("--element", options->element, "Type of an element, or its bytes")
        ->capture_default_str();
    command->add_option(
        "--access", options->accesses,
        "What the 32 lanes access: row, column, \"ROW, COLUMN\" (formulas of lane), "
        "ldmatrix.x4, stmatrix.x4; \"store row\" stores, \"row x4\" moves vectors. May be "
        "repeated; default: row and column");
    command->add_flag("--search", options->search,
                      "Try other layouts of the same rows and columns, padded and swizzled");
    command->add_option("-o,--output", options->output,
                        "Save the picture (.svg, .pdf) or the table (.csv, .md)");
    command->add_option("--theme", options->theme, "Colours of the picture: light or dark")
        ->check(CLI::IsMember({"light", "dark"}))
        ->capture_default_str();
    command->add_flag("--json", options->json, "Print JSON");
    command->callback(
        [&chosen, options] { chosen = [options] { return layout_bench(*options); }; });
}

} // namespace lanescope::app
