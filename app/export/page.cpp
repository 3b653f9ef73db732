// The page is app/browser/page.html, which says where what belongs; the program is packed as gzip,
// which every browser unpacks, and written in letters.
#include "app/export/page.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdlib>
#include <string_view>

#include "assets/assets.h"
#include "compute/cuda/compile/toolkit.h"
#include "compute/error.h"
#include "render/capture/file.h"
#include "render/capture/markup.h"

namespace lanescope::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view page_file = "app/browser/page.html";
constexpr std::string_view script_file = "lanescope.js";
constexpr std::string_view program_file = "lanescope.wasm";
// The keys of a lecture, for who has none.
constexpr std::string_view beat_buttons =
    "<nav><button data-key=\"PageUp\" data-code=\"33\">◀ Back</button>"
    "<button data-key=\"PageDown\" data-code=\"34\">Next ▶</button></nav>\n";

fs::path built_folder()
{
    const char* const chosen = std::getenv("LANESCOPE_BROWSER");
    fs::path folder = chosen ? fs::path(chosen) : cuda::program_folder() / "browser";
    if (!fs::exists(folder / program_file) || !fs::exists(folder / script_file))
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The program for browsers is not in {}.", folder.string()),
                    "Build it with app/browser.sh, or name the folder that has it in "
                    "LANESCOPE_BROWSER.");
    return folder;
}

std::string read(const fs::path& file)
{
    constexpr std::size_t most_bytes = std::size_t{1} << 28;
    return render::read_file(file, most_bytes);
}

std::string packed(std::string_view bytes)
{
    constexpr int gzip = 16 + MAX_WBITS;
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string made(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(made.data());
    stream.avail_out = static_cast<uInt>(made.size());
    deflate(&stream, Z_FINISH);
    made.resize(stream.total_out);
    deflateEnd(&stream);
    return made;
}

void replace(std::string& text, std::string_view mark, std::string_view with)
{
    const std::size_t at = text.find(mark);
    if (at == std::string::npos)
        throw Error(ExitStatus::no_such_thing, fmt::format("The page has no place for {}.", mark));
    text.replace(at, mark.size(), with);
}

std::string as_html(const PagePart& part)
{
    return fmt::format(
        "<section>\n<h2>{}</h2>\n<figure data-name=\"{}\" data-file=\"{}\" tabindex=\"0\" "
        "role=\"button\" aria-label=\"Start: {}\">"
        "<img alt=\"{}\" src=\"data:image/png;base64,{}\"></figure>\n{}{}</section>\n",
        render::escape(part.title), render::escape(part.file_name), render::base64(part.file),
        render::escape(part.title), render::escape(part.title), render::base64(part.still),
        part.has_beats ? beat_buttons : "", part.words);
}

} // namespace

void require_browser_program()
{
    built_folder();
}

std::string page_of(const std::string& title, const std::vector<PagePart>& parts)
{
    const fs::path folder = built_folder();
    std::string page(assets::find(page_file).value());
    std::string words = fmt::format("<h1>{}</h1>\n", render::escape(title));
    for (const PagePart& part : parts) words += as_html(part);
    replace(page, "<title>Lanescope</title>",
            fmt::format("<title>{}</title>", render::escape(title)));
    replace(page, "<!-- words -->", words);
    replace(page, R"(<script src="lanescope.js"></script>)",
            fmt::format(
                "<script>{}</script>\n<script type=\"text/plain\" id=\"program\">{}</script>",
                read(folder / script_file), render::base64(packed(read(folder / program_file)))));
    return page;
}

void write_site(const fs::path& folder)
{
    const fs::path built = built_folder();
    fs::create_directories(folder);
    render::write_file(folder / "index.html", std::string(assets::find(page_file).value()));
    for (const std::string_view name : {script_file, program_file})
        render::write_file(folder / name, read(built / name));
}

} // namespace lanescope::app
