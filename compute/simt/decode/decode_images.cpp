// tex, tld4, suld.b, sust.b, txq and suq for one, two and three dimensions, arrays and cubes.
#include "compute/simt/decode/decoder.h"
#include "compute/simt/operations/lanes/movers.h"

namespace lanescope::simt {

namespace {

using Kind = ptx::Operand::Kind;
using ptx::Op;
using ptx::Word;

int dimensions_of(const ptx::Instruction& in)
{
    if (in.has(Word::d1) || in.has(Word::a1d)) return 1;
    return in.has(Word::d2) || in.has(Word::a2d) ? 2 : 3;
}

bool is_array(const ptx::Instruction& in)
{
    return in.has(Word::a1d) || in.has(Word::a2d);
}

ImageQuery query_of(const ptx::Instruction& in)
{
    if (in.has(Word::width)) return ImageQuery::width;
    if (in.has(Word::height)) return ImageQuery::height;
    if (in.has(Word::depth)) return ImageQuery::depth;
    return in.has(Word::array_size) ? ImageQuery::layers : ImageQuery::levels;
}

} // namespace

// Handle and coordinates of [handle, {layer, x, y, …}]; unused trailing coordinates are dropped.
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
    const int first = is_array(in) ? 1 : 0;
    if (static_cast<int>(coordinates.size()) < first + access.dimensions)
        refuse(in, "it has too few coordinates");
    if (first != 0) access.layer = source_row(in, *coordinates[0], ptx::Type::u32);
    for (int i = 0; i < access.dimensions; ++i)
        access.coordinates[static_cast<std::size_t>(i)] =
            source_row(in, *coordinates[static_cast<std::size_t>(first + i)], coordinate);
}

// Decodes the level or the gradient vectors, which follow the coordinates.
void FunctionDecoder::image_level(const ptx::Instruction& in, bool floats, ImageAccess& access)
{
    const bool gradients = in.has(Word::grad);
    const bool given = in.has(Word::level);
    const std::size_t wanted = gradients ? 4 : given ? 3 : 2;
    if (in.operands.size() != wanted)
        refuse(in, "offsets and comparisons of textures are not supported");
    if (given) {
        access.level = LevelChoice::given;
        access.steps[0] = source_row(in, in.operands[2], floats ? ptx::Type::f32 : ptx::Type::s32);
    }
    if (!gradients) return;
    access.level = LevelChoice::gradients;
    for (std::size_t vector = 0; vector < 2; ++vector) {
        const ptx::Operand& operand = in.operands[2 + vector];
        const bool single = operand.kind != Kind::vector;
        for (std::size_t i = 0; i < static_cast<std::size_t>(access.dimensions); ++i) {
            if (single ? i > 0 : i >= operand.elements.size())
                refuse(in, "its gradients have too few elements");
            access.steps[3 * vector + i] =
                source_row(in, single ? operand : operand.elements[i], ptx::Type::f32);
        }
    }
}

bool FunctionDecoder::image(const ptx::Instruction& in, Instruction& out)
{
    const bool texture = in.op == Op::tex || in.op == Op::tld4;
    const bool load = in.op == Op::suld;
    ImageAccess access;
    if (in.op == Op::txq || in.op == Op::suq) {
        const ptx::Operand& place = in.operands[1];
        if (place.reg < 0 || register_bytes(place.reg) != 8) refuse(in);
        access.handle = register_row(place.reg);
        access.values[0] = destination_row(in, in.operands[0], ptx::Type::b32);
        out.use(image_query_handlers(query_of(in)));
    } else {
        access.dimensions = dimensions_of(in);
        access.elements = in.modifiers.elements;
        const bool stores = in.op == Op::sust;
        const ptx::Operand& place = in.operands[stores ? 0 : 1];
        const ptx::Operand& value = in.operands[stores ? 1 : 0];
        std::vector<const ptx::Operand*> values;
        if (value.kind == Kind::vector)
            for (const ptx::Operand& element : value.elements) values.push_back(&element);
        else
            values.push_back(&value);
        if (static_cast<int>(values.size()) != access.elements)
            refuse(in, "the number of values does not match the instruction");
        if (texture) {
            const bool floats = in.modifiers.source() == ptx::Type::f32;
            access.cube = in.has(Word::cube);
            if (in.modifiers.type() == ptx::Type::f16) access.form = TexelForm::halves;
            if (in.modifiers.type() == ptx::Type::f16x2) access.form = TexelForm::half_pairs;
            if ((access.form == TexelForm::half_pairs) != (access.elements == 2))
                refuse(in, "the vector size does not match the type of the results");
            if (in.op == Op::tld4)
                access.channel = in.has(Word::r)   ? 0
                                 : in.has(Word::g) ? 1
                                 : in.has(Word::b) ? 2
                                                   : 3;
            image_level(in, floats, access);
            image_place(in, place, floats ? ptx::Type::f32 : ptx::Type::s32, access);
            for (std::size_t i = 0; i < values.size(); ++i)
                if (values[i]->kind == Kind::reg)
                    access.values[i] = destination_row(in, *values[i], ptx::Type::b32);
            out.use(texture_handlers(floats));
        } else {
            const ptx::Type type = in.modifiers.type();
            access.element_bytes = ptx::size_bytes(type);
            constexpr int max_bytes = 16; // per lane
            if (access.element_bytes * access.elements > max_bytes)
                refuse(in, "a lane can access at most 16 bytes of a surface");
            access.edge = in.has(Word::clamp)  ? SurfaceEdge::clamp
                          : in.has(Word::zero) ? SurfaceEdge::zero
                                               : SurfaceEdge::trap;
            image_place(in, place, ptx::Type::s32, access);
            const ptx::Type row = lane_bytes(type) == 8 ? ptx::Type::b64 : ptx::Type::b32;
            for (std::size_t i = 0; i < values.size(); ++i)
                access.values[i] =
                    stores ? source_row(in, *values[i], row) : destination_row(in, *values[i], row);
            access.mover = mover(access.element_bytes, false, lane_bytes(row));
            out.use(surface_handlers(load));
        }
    }
    out.extra = static_cast<std::uint32_t>(function.images.size());
    function.images.push_back(access);
    return true;
}

} // namespace lanescope::simt
