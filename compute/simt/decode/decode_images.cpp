// tex, suld.b, sust.b, txq and suq of one, two and three dimensions; arrays, cubes, levels and
// gradients are refused.
#include <fmt/format.h>

#include "compute/ptx/instructions/words.h"
#include "compute/simt/decode/decoder.h"
#include "compute/simt/operations/movers.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;

int dimensions_of(const ptx::Instruction& in)
{
    return in.has("1d") ? 1 : in.has("2d") ? 2 : in.has("3d") ? 3 : 0;
}

int elements_of(const ptx::Instruction& in)
{
    return in.has("v4") ? 4 : in.has("v2") ? 2 : 1;
}

} // namespace

// The handle and the coordinates of [handle, {x, y, …}]; unused trailing coordinates are dropped.
void FunctionDecoder::image_place(const ptx::Instruction& in, const ptx::Operand& place,
                                  ptx::Type coordinate, ImageAccess& access)
{
    if (place.reg < 0 || register_bytes(place.reg) != 8)
        refuse(in,
               "textures and surfaces are passed to kernels as objects, not as module variables");
    access.handle = register_row(place.reg);
    std::vector<const ptx::Operand*> coordinates;
    for (const ptx::Operand& element : place.elements) {
        if (element.kind == Kind::vector)
            for (const ptx::Operand& inner : element.elements) coordinates.push_back(&inner);
        else
            coordinates.push_back(&element);
    }
    if (static_cast<int>(coordinates.size()) < access.dimensions)
        refuse(in, "it has too few coordinates");
    for (int i = 0; i < access.dimensions; ++i)
        access.coordinates[static_cast<std::size_t>(i)] =
            source_row(in, *coordinates[static_cast<std::size_t>(i)], coordinate);
}

bool FunctionDecoder::image(const ptx::Instruction& in, Instruction& out)
{
    const bool texture = in.opcode == "tex";
    const bool load = in.opcode == "suld";
    const bool query = in.opcode == "txq" || in.opcode == "suq";
    if (!texture && !load && !query && in.opcode != "sust") return false;
    ImageAccess access;
    if (query) {
        const bool known = in.has("width") || in.has("height") || in.has("depth");
        if (!known || in.has("level")) refuse(in);
        const ptx::Operand& place = in.operands[1];
        if (place.reg < 0 || register_bytes(place.reg) != 8) refuse(in);
        access.handle = register_row(place.reg);
        access.values[0] = destination_row(in, in.operands[0], ptx::Type::b32);
        out.handler = image_query_handlers(in.has("width")    ? ImageQuery::width
                                           : in.has("height") ? ImageQuery::height
                                                              : ImageQuery::depth);
    } else {
        access.dimensions = dimensions_of(in);
        access.elements = elements_of(in);
        if (access.dimensions == 0 || in.has("level") || in.has("grad") || in.has("base") ||
            in.has("p"))
            refuse(in);
        const bool stores = in.opcode == "sust";
        const ptx::Operand& place = in.operands[stores ? 0 : 1];
        const ptx::Operand& value = in.operands[stores ? 1 : 0];
        std::vector<const ptx::Operand*> values;
        if (value.kind == Kind::vector)
            for (const ptx::Operand& element : value.elements) values.push_back(&element);
        else
            values.push_back(&value);
        if (static_cast<int>(values.size()) != access.elements)
            refuse(in, "the number of values does not fit");
        if (texture) {
            const bool floats = in.modifiers.back() == "f32";
            if (!floats && in.modifiers.back() != "s32") refuse(in);
            image_place(in, place, floats ? ptx::Type::f32 : ptx::Type::s32, access);
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i]->kind == Kind::reg)
                    access.values[i] = destination_row(in, *values[i], ptx::Type::b32);
            out.handler = texture_handlers(floats);
        } else {
            ptx::Type type = ptx::Type::none;
            for (const std::string& word : in.modifiers)
                if (const auto found = ptx::type_of(word)) type = *found;
            if (type == ptx::Type::none) refuse(in);
            access.element_bytes = ptx::size_bytes(type);
            access.edge = in.has("clamp")  ? SurfaceEdge::clamp
                          : in.has("zero") ? SurfaceEdge::zero
                                           : SurfaceEdge::trap;
            image_place(in, place, ptx::Type::s32, access);
            const ptx::Type row = lane_bytes(type) == 8 ? ptx::Type::b64 : ptx::Type::b32;
            for (std::size_t i = 0; i < values.size(); ++i)
                access.values[i] =
                    stores ? source_row(in, *values[i], row) : destination_row(in, *values[i], row);
            access.mover = mover(access.element_bytes, false, lane_bytes(row));
            out.handler = surface_handlers(load);
        }
    }
    out.extra = static_cast<std::uint32_t>(function.images.size());
    function.images.push_back(access);
    return true;
}

} // namespace lanescope::simt
