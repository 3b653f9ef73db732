// A lab's lesson: Markdown as headings, paragraphs, lists and tables. md4c parses; what it reports
// is gathered block by block, in some ten microseconds a frame.
#include <imgui.h>

#include <md4c.h>

#include <string>
#include <string_view>
#include <vector>

#include "app/window/panels/panels.h"
#include "compute/error.h"

namespace lanescope::app {
namespace {

// One block of the text, its inline marks flattened.
struct LessonBlock {
    enum class Kind { heading, paragraph, item, code, row };
    Kind kind = Kind::paragraph;
    std::string text;
    std::vector<std::string> cells; // of a row
};
using Kind = LessonBlock::Kind;

struct Reader {
    std::vector<LessonBlock> blocks;
    std::string text;
    std::vector<std::string> cells;
    int items = 0; // nested list items that are open

    void close(Kind kind)
    {
        if (!text.empty()) blocks.push_back({kind, text, {}});
        text.clear();
    }
};

int enter_block(MD_BLOCKTYPE type, void*, void* user)
{
    auto& reader = *static_cast<Reader*>(user);
    if (type == MD_BLOCK_LI) {
        reader.close(Kind::item);
        ++reader.items;
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
    case MD_BLOCK_TR: reader.blocks.push_back({Kind::row, {}, reader.cells}); break;
    default: break;
    }
    return 0;
}

int ignore_span(MD_SPANTYPE, void*, void*)
{
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

// Rows that follow each other share their columns.
void table(const PanelStyle& style, const std::vector<LessonBlock>& blocks, std::size_t& at)
{
    const auto columns = static_cast<int>(blocks[at].cells.size());
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
                plain_text(blocks[at].cells[static_cast<std::size_t>(c)]);
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
    parser.enter_span = parser.leave_span = ignore_span;
    parser.text = add_text;
    if (md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &reader) != 0)
        throw Error(ExitStatus::no_such_thing, "The lesson cannot be read.",
                    "Build the program again.");
    return reader.blocks;
}

} // namespace

void lesson_panel(const PanelStyle& style, std::string_view markdown)
{
    const std::vector<LessonBlock> blocks = read_lesson(markdown);
    for (std::size_t i = 0; i < blocks.size();) {
        const LessonBlock& block = blocks[i];
        if (block.kind == Kind::row) {
            table(style, blocks, i);
            continue;
        }
        switch (block.kind) {
        case Kind::heading: heading(style, block.text); break;
        case Kind::item: plain_text("•  " + block.text); break;
        case Kind::code: {
            const TextScope code(style.fonts.code, style.em * 0.93F, style.palette.text);
            plain_text(block.text);
            break;
        }
        default: plain_text(block.text); break;
        }
        ++i;
    }
}

} // namespace lanescope::app
