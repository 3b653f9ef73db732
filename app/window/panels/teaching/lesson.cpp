// A lab's lesson: Markdown as headings, paragraphs, lists and tables. md4c parses; its callbacks
// collect blocks, in about ten microseconds per frame.
#include <imgui.h>

#include <md4c.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/input/keys.h"
#include "app/window/panels/panels.h"
#include "compute/error.h"
#include "compute/text.h"

namespace lanescope::app {
namespace {

// One block of the text; control characters delimit its inline marks.
struct LessonBlock {
    enum class Kind { heading, paragraph, item, code, row };
    Kind kind = Kind::paragraph;
    std::string text;
    std::vector<std::string> cells; // cells of a row
    std::string label{};            // of an item: "•", "2."; empty after its first paragraph
};
using Kind = LessonBlock::Kind;

struct Reader {
    std::vector<LessonBlock> blocks;
    std::string text;
    std::vector<std::string> cells;
    int items = 0;                 // number of open nested list items
    std::vector<unsigned> numbers; // of the next item of each open list; 0: a list without numbers
    std::string label;             // of the open item, until its first paragraph ends

    void close(Kind kind)
    {
        if (!text.empty()) {
            blocks.push_back({kind, text, {}, {}});
            if (kind == Kind::item) blocks.back().label = std::exchange(label, {});
        }
        text.clear();
    }
    std::string next_label()
    {
        if (numbers.empty() || numbers.back() == 0) return "•";
        return std::to_string(numbers.back()++) + '.';
    }
};

int enter_block(MD_BLOCKTYPE type, void* detail, void* user)
{
    auto& reader = *static_cast<Reader*>(user);
    if (type == MD_BLOCK_UL) reader.numbers.push_back(0);
    if (type == MD_BLOCK_OL)
        reader.numbers.push_back(static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start);
    if (type == MD_BLOCK_LI) {
        reader.close(Kind::item);
        ++reader.items;
        reader.label = reader.next_label();
    }
    if (type == MD_BLOCK_TR) reader.cells.clear();
    return 0;
}

int leave_block(MD_BLOCKTYPE type, void*, void* user)
{
    auto& reader = *static_cast<Reader*>(user);
    switch (type) {
    case MD_BLOCK_H: reader.close(Kind::heading); break;
    case MD_BLOCK_P: reader.close(reader.items > 0 ? Kind::item : Kind::paragraph); break;
    case MD_BLOCK_LI:
        reader.close(Kind::item);
        --reader.items;
        break;
    case MD_BLOCK_CODE: reader.close(Kind::code); break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
        reader.cells.push_back(reader.text);
        reader.text.clear();
        break;
    case MD_BLOCK_TR: reader.blocks.push_back({Kind::row, {}, reader.cells, {}}); break;
    case MD_BLOCK_UL:
    case MD_BLOCK_OL: reader.numbers.pop_back(); break;
    default: break;
    }
    return 0;
}

// Control characters that delimit text in back quotes (which may be a key), the target and text of
// a link, and bold text.
constexpr char key_begins = '\x01';
constexpr char key_ends = '\x02';
constexpr char link_begins = '\x03';
constexpr char words_begin = '\x04';
constexpr char link_ends = '\x05';
constexpr char bold_begins = '\x06';
constexpr char bold_ends = '\x07';

int enter_span(MD_SPANTYPE type, void* detail, void* user)
{
    std::string& text = static_cast<Reader*>(user)->text;
    if (type == MD_SPAN_CODE) text += key_begins;
    if (type == MD_SPAN_STRONG) text += bold_begins;
    if (type == MD_SPAN_A) {
        const MD_ATTRIBUTE& target = static_cast<const MD_SPAN_A_DETAIL*>(detail)->href;
        text += link_begins;
        text.append(target.text, target.size);
        text += words_begin;
    }
    return 0;
}

int leave_span(MD_SPANTYPE type, void*, void* user)
{
    std::string& text = static_cast<Reader*>(user)->text;
    if (type == MD_SPAN_CODE) text += key_ends;
    if (type == MD_SPAN_STRONG) text += bold_ends;
    if (type == MD_SPAN_A) text += link_ends;
    return 0;
}

int add_text(MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user)
{
    auto& reader = *static_cast<Reader*>(user);
    if (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR)
        reader.text += ' ';
    else
        reader.text.append(text, size);
    return 0;
}

std::string without_marks(std::string text)
{
    while (true) { // remove the targets of links
        const std::size_t begin = text.find(link_begins);
        if (begin == std::string::npos) break;
        text.erase(begin, std::min(text.find(words_begin, begin), text.size() - 1) - begin + 1);
    }
    std::erase_if(text, [](char c) {
        return c == key_begins || c == key_ends || c == link_ends || c == bold_begins ||
               c == bold_ends;
    });
    return text;
}

// A piece of prose: words up to the next blank, a key, or a link to a lab's variant.
struct Piece {
    std::string text;
    bool key = false;
    std::string target{}; // "faults/divergent_barrier"
    bool bold = false;
    bool after_blank = false;

    bool clickable() const { return key || !target.empty(); }
};

// Removes and returns the text before the mark; the mark is dropped.
std::string_view take_until(std::string_view& text, char mark)
{
    const std::size_t end = std::min(text.find(mark), text.size());
    const std::string_view before = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return before;
}

std::vector<Piece> pieces_of(std::string_view text, const std::map<std::string, std::string>& keys)
{
    std::vector<Piece> pieces;
    bool blank = false;
    bool bold = false;
    const auto append = [&](Piece piece) {
        if (piece.text.empty()) return;
        piece.bold = bold;
        piece.after_blank = std::exchange(blank, false);
        const bool joins = !piece.clickable() && !piece.after_blank && !pieces.empty() &&
                           !pieces.back().clickable() && pieces.back().bold == bold;
        if (joins)
            pieces.back().text += piece.text;
        else
            pieces.push_back(std::move(piece));
    };
    const std::string marks{' ', key_begins, link_begins, bold_begins, bold_ends};
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(marks), text.size());
        append({std::string(text.substr(0, end))});
        if (end == text.size()) break;
        const char mark = text[end];
        text.remove_prefix(end + 1);
        if (mark == ' ') {
            blank = true;
        } else if (mark == bold_begins || mark == bold_ends) {
            bold = mark == bold_begins;
        } else if (mark == key_begins) {
            const std::string code(take_until(text, key_ends));
            append({code, !rows_for_key(code, keys).empty()});
        } else {
            std::string target(take_until(text, words_begin));
            append({without_marks(std::string(take_until(text, link_ends))), false,
                    std::move(target)});
        }
    }
    return pieces;
}

void follow(const View& view, const Piece& piece, Commands& out)
{
    if (!piece.key) {
        const std::size_t slash = std::min(piece.target.find('/'), piece.target.size() - 1);
        return out.push_back(
            ChooseLab{piece.target.substr(0, slash), piece.target.substr(slash + 1)});
    }
    press_key(view, piece.text, out);
}

// Laid out line by line, because a key or bold text in the middle is a separate widget.
void prose(const View& view, const std::string& text, Commands& out)
{
    const std::vector<Piece> pieces = pieces_of(text, view.document.keys);
    const auto is_plain = [](const Piece& piece) { return !piece.clickable() && !piece.bold; };
    if (std::ranges::all_of(pieces, is_plain)) return plain_text(without_marks(text));
    const PanelStyle& style = view.style;
    const auto font = [&](const Piece& piece) {
        return piece.bold ? style.fonts.bold : style.fonts.plain;
    };
    const float room = ImGui::GetContentRegionAvail().x;
    const float gap = ImGui::CalcTextSize(" ").x;
    const auto width = [&](std::size_t i) {
        const TextScope scope(font(pieces[i]), style.em, style.palette.text);
        return ImGui::CalcTextSize(pieces[i].text.c_str()).x;
    };
    float used = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i];
        float together = width(i); // including pieces that follow without a blank
        for (std::size_t k = i + 1; k < pieces.size() && !pieces[k].after_blank; ++k)
            together += width(k);
        const float space = piece.after_blank ? gap : 0;
        const bool continues = i > 0 && (used + space + together <= room || !piece.after_blank);
        if (continues) ImGui::SameLine(0, space);
        used = continues ? used + space + width(i) : width(i);
        const TextScope scope(font(piece), style.em, style.palette.text);
        if (!piece.clickable()) {
            ImGui::TextUnformatted(piece.text.c_str());
            continue;
        }
        if (ImGui::TextLink(piece.text.c_str())) follow(view, piece, out);
        view.ui.places[(piece.key ? "key " : "link ") + piece.text] = item_centre();
    }
}

// Consecutive rows share their columns.
void table(const PanelStyle& style, const std::vector<LessonBlock>& blocks, std::size_t& at)
{
    constexpr std::size_t max_columns = 64; // ImGui has no more than 512
    const auto columns = static_cast<int>(std::min(blocks[at].cells.size(), max_columns));
    const IdScope id(std::to_string(at));
    const bool open = columns > 0 && ImGui::BeginTable("table", columns, ImGuiTableFlags_RowBg);
    for (bool first = true; at < blocks.size() && blocks[at].kind == Kind::row;
         ++at, first = false) {
        if (!open) continue;
        ImGui::TableNextRow();
        const TextScope text(first ? style.fonts.bold : style.fonts.plain, style.em,
                             style.palette.text);
        for (int c = 0; c < columns; ++c) {
            ImGui::TableNextColumn();
            if (c < static_cast<int>(blocks[at].cells.size()))
                plain_text(without_marks(blocks[at].cells[static_cast<std::size_t>(c)]));
        }
    }
    if (open) ImGui::EndTable();
}

std::vector<LessonBlock> read_lesson(std::string_view markdown)
{
    Reader reader;
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES;
    parser.enter_block = enter_block;
    parser.leave_block = leave_block;
    parser.enter_span = enter_span;
    parser.leave_span = leave_span;
    parser.text = add_text;
    if (md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &reader) != 0)
        throw Error(ExitStatus::no_such_thing, "The lesson cannot be read.",
                    "Rebuild the program.");
    return reader.blocks;
}

} // namespace

void lesson_panel(const View& view, std::string_view markdown, Commands& out)
{
    const PanelStyle& style = view.style;
    constexpr std::size_t max_bytes = std::size_t{1}
                                      << 16; // bytes: the text is parsed in every frame
    const std::vector<LessonBlock> blocks = read_lesson(shortened(markdown, max_bytes));
    for (std::size_t i = 0; i < blocks.size();) {
        const LessonBlock& block = blocks[i];
        if (block.kind == Kind::row) {
            table(style, blocks, i);
            continue;
        }
        const IdScope id(std::to_string(i));
        switch (block.kind) {
        case Kind::heading: heading(style, without_marks(block.text)); break;
        case Kind::item: {
            const std::string label = block.label.empty() ? "" : block.label + "  ";
            prose(view, label + block.text, out);
            break;
        }
        case Kind::code: {
            const TextScope code(style.fonts.code, style.em * 0.93F, style.palette.text);
            plain_text(without_marks(block.text));
            break;
        }
        default: prose(view, block.text, out); break;
        }
        ++i;
    }
}

} // namespace lanescope::app
