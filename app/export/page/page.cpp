// Fills the template app/browser/page.html. The program was packed at build time by
// app/browser/pack.py; its files are compressed with gzip, which every browser decompresses. Both
// are encoded as text.
#include "app/export/page/page.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cstdlib>
#include <string_view>

#include "app/export/page/page_files.h"
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
constexpr std::string_view packed_file = "lanescope.packed"; // script and program, for a page
constexpr std::string_view unpacking_file = "app/browser/unpack.js";
constexpr std::string_view files_file = "lanescope.files"; // for a site; a page embeds the files
// Buttons in place of a lecture's keys.
constexpr std::string_view beat_buttons =
    "<nav><button data-key=\"PageUp\" data-code=\"33\">◀ Back</button>"
    "<button data-key=\"PageDown\" data-code=\"34\">Next ▶</button></nav>\n";

fs::path built_folder()
{
    const char* const chosen = std::getenv("LANESCOPE_BROWSER");
    fs::path folder = chosen ? fs::path(chosen) : cuda::program_folder() / "browser";
    for (const std::string_view file : {script_file, program_file, packed_file})
        if (!fs::exists(folder / file))
            throw Error(
                ExitStatus::no_such_thing,
                fmt::format("The browser version of Lanescope is not in {}.", folder.string()),
                "Build it with app/browser.sh, or set LANESCOPE_BROWSER to the folder that "
                "contains it.");
    return folder;
}

std::string read(const fs::path& file)
{
    constexpr std::size_t max_bytes = std::size_t{1} << 28;
    return render::read_file(file, max_bytes);
}

std::string packed(std::string_view bytes)
{
    constexpr int gzip = 16 + MAX_WBITS;
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::bad_alloc();
    std::string compressed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
    stream.avail_out = static_cast<uInt>(compressed.size());
    deflate(&stream, Z_FINISH);
    compressed.resize(stream.total_out);
    deflateEnd(&stream);
    return compressed;
}

// Encodes 13 bits in two of the 91 characters from # to ~ without <; read by app/browser/unpack.js.
std::string encode_as_letters(std::string_view bytes)
{
    std::string letters;
    letters.reserve(bytes.size() * 16 / 13 + 4);
    const auto put = [&letters](unsigned value) {
        for (const unsigned digit : {value / 91, value % 91})
            letters += static_cast<char>(digit + (digit + '#' >= '<' ? '$' : '#'));
    };
    unsigned held = 0;
    int bits = 0;
    for (const char byte : bytes) {
        held |= unsigned{static_cast<unsigned char>(byte)} << bits;
        bits += 8;
        if (bits < 13) continue;
        put(held & 0x1fffu);
        held >>= 13;
        bits -= 13;
    }
    if (bits > 0) put(held);
    return letters;
}

std::string as_data(std::string_view id, std::string_view bytes)
{
    return fmt::format("<script type=\"text/plain\" id=\"{}\" data-bytes=\"{}\">{}</script>\n", id,
                       bytes.size(), encode_as_letters(bytes));
}

void replace(std::string& text, std::string_view mark, std::string_view with)
{
    const std::size_t at = text.find(mark);
    if (at == std::string::npos)
        throw Error(ExitStatus::no_such_thing,
                    fmt::format("The page template has no placeholder for {}.", mark));
    text.replace(at, mark.size(), with);
}

// The first part's heading is the page's title.
std::string as_html(const PagePart& part, bool first)
{
    const std::string_view heading = first ? "h1" : "h2";
    return fmt::format(
        "<section>\n<{0}>{1}</{0}>\n<figure data-name=\"{2}\" data-file=\"{3}\" tabindex=\"0\" "
        "role=\"button\" aria-label=\"Start: {1}\">"
        "<img alt=\"{1}\" src=\"data:image/png;base64,{4}\"></figure>\n{5}{6}</section>\n",
        heading, render::escape(part.title), render::escape(part.file_name),
        render::base64(part.file), render::base64(part.still), part.has_beats ? beat_buttons : "",
        part.words);
}

} // namespace

void require_browser_program()
{
    built_folder();
}

std::string page_of(const std::string& title, const std::vector<PagePart>& parts,
                    const std::set<std::string>& labs)
{
    const fs::path folder = built_folder();
    std::string page(assets::find(page_file).value());
    std::string words;
    for (const PagePart& part : parts) words += as_html(part, &part == &parts.front());
    replace(page, "<title>Lanescope</title>",
            fmt::format("<title>{}</title>", render::escape(title)));
    replace(page, "<!-- words -->", words);
    replace(page, R"(<script src="lanescope.js"></script>)",
            fmt::format("<script>{}</script>\n", assets::find(unpacking_file).value()) +
                as_data("program", read(folder / packed_file)) +
                as_data("files", packed(page_files(labs))));
    return page;
}

void write_site(const fs::path& folder)
{
    const fs::path built = built_folder();
    fs::create_directories(folder);
    render::write_file(folder / "index.html", std::string(assets::find(page_file).value()));
    for (const std::string_view name : {script_file, program_file})
        render::write_file(folder / name, read(built / name));
    render::write_file(folder / files_file, packed(site_files()));
}

} // namespace lanescope::app
