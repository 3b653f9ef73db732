// PNG via libspng, which receives only the chunks that make up the pixels. Colour profiles, texts
// and other chunks, which it would unpack without a limit, never reach it.
#include <spng.h>
#include <zlib.h>

#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "compute/pictures/formats.h"

namespace lanescope::pictures {
namespace {

using Kind = Problem::Kind;
using Context = std::unique_ptr<spng_ctx, decltype(&spng_ctx_free)>;

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
constexpr std::size_t frame_bytes = 12; // length, type and checksum of a chunk
constexpr std::size_t max_texts = 1000;

[[noreturn]] void fail_damaged(const std::string& why)
{
    throw Problem(Kind::damaged, why);
}

std::uint32_t big_endian(std::string_view bytes)
{
    std::uint32_t value = 0;
    for (const char byte : bytes.substr(0, 4))
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

struct Chunk {
    std::string_view type;
    std::string_view data;
    std::string_view whole;
};

// Takes the first chunk off the rest of a file.
Chunk take_chunk(std::string_view& rest)
{
    if (rest.size() < frame_bytes) fail_damaged("it ends within a chunk");
    const std::size_t length = big_endian(rest);
    if (length > rest.size() - frame_bytes) fail_damaged("it ends within a chunk");
    const Chunk chunk{rest.substr(4, 4), rest.substr(8, length),
                      rest.substr(0, frame_bytes + length)};
    rest.remove_prefix(chunk.whole.size());
    return chunk;
}

void verify_crc(const Chunk& chunk)
{
    const std::string_view summed = chunk.whole.substr(4, chunk.whole.size() - 8);
    const auto* const bytes = reinterpret_cast<const Bytef*>(summed.data());
    if (crc32_z(0, bytes, summed.size()) != big_endian(chunk.whole.substr(chunk.whole.size() - 4)))
        fail_damaged("a checksum is wrong");
}

// Checks only the size; other damage is found when the pixels are decoded.
void check_header(const Chunk& header)
{
    if (header.type != "IHDR" || header.data.size() != 13) fail_damaged("it has no header");
    check_size(big_endian(header.data), big_endian(header.data.substr(4)));
}

bool is_for_pixels(std::string_view type)
{
    return type == "PLTE" || type == "tRNS" || type == "IDAT";
}

bool is_text(std::string_view type)
{
    return type == "tEXt" || type == "zTXt" || type == "iTXt";
}

bool is_ancillary(std::string_view type)
{
    return (type.front() & 0x20) != 0;
}

// The chunks of a file that are needed for its pixels and texts.
class PngFile {
public:
    explicit PngFile(std::string_view bytes)
    {
        std::string_view rest = bytes.substr(signature.size());
        const Chunk header = take_chunk(rest);
        verify_crc(header);
        check_header(header);
        kept_ = {signature, header.whole};
        bool pixels_ended = false;
        for (;;) {
            const Chunk chunk = take_chunk(rest);
            verify_crc(chunk);
            const bool is_data = chunk.type == "IDAT";
            if (is_data && pixels_ended) fail_damaged("its pixel chunks are not consecutive");
            pixels_ended |= has_pixels_ && !is_data;
            has_pixels_ |= is_data;
            if (is_text(chunk.type) && texts_.size() < max_texts)
                texts_.push_back(chunk);
            else if (is_for_pixels(chunk.type) || chunk.type == "IEND")
                kept_.push_back(chunk.whole);
            else if (!is_ancillary(chunk.type))
                fail_damaged("it has an unknown critical chunk");
            if (chunk.type == "IEND") break;
        }
        if (!has_pixels_) fail_damaged("it has no pixels");
    }

    const std::vector<Chunk>& texts() const { return texts_; }

    // Returns a decoder that reads the kept chunks; this object must outlive it.
    Context decoder()
    {
        Context context(spng_ctx_new(0), spng_ctx_free);
        if (!context) throw std::bad_alloc();
        spng_set_image_limits(context.get(), max_side, max_side);
        spng_set_png_stream(context.get(), &PngFile::read, this);
        return context;
    }

private:
    static int read(spng_ctx*, void* user, void* to, std::size_t wanted)
    {
        auto& file = *static_cast<PngFile*>(user);
        auto* into = static_cast<char*>(to);
        while (wanted > 0) {
            if (file.at_ == file.kept_.size()) return SPNG_IO_EOF;
            std::string_view& part = file.kept_[file.at_];
            const std::size_t count = part.copy(into, wanted);
            into += count;
            wanted -= count;
            part.remove_prefix(count);
            if (part.empty()) ++file.at_;
        }
        return 0;
    }

    std::vector<std::string_view> kept_;
    std::size_t at_ = 0;
    std::vector<Chunk> texts_;
    bool has_pixels_ = false;
};

void require(int status)
{
    if (status == SPNG_EMEM) throw std::bad_alloc();
    if (status != 0) fail_damaged(spng_strerror(status));
}

// Unpacks a text and subtracts its size from `left`; throws Problem if it is larger.
std::string unpacked(std::string_view packed, std::size_t& left)
{
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, decltype(&inflateEnd)> ended(&stream, inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    std::string text;
    std::array<char, 1 << 14> piece; // NOLINT: filled by inflate()
    for (int status = Z_OK; status != Z_STREAM_END;) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        status = inflate(&stream, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END)
            fail_damaged("a text chunk cannot be decompressed");
        const std::size_t count = piece.size() - stream.avail_out;
        if (count > left)
            throw Problem(Kind::too_large,
                          fmt::format("its text chunks exceed {} MB", max_text_bytes >> 20));
        left -= count;
        text.append(piece.data(), count);
    }
    return text;
}

std::string_view take_until_zero(std::string_view& rest)
{
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) fail_damaged("a text chunk has no keyword");
    const std::string_view taken = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return taken;
}

// Skips the fields after the keyword: a compression method in zTXt; a flag, a method, a language
// and the translated keyword in iTXt.
std::string text_of(const Chunk& chunk, std::string_view rest, std::size_t& left)
{
    if (chunk.type == "tEXt") return std::string(rest);
    bool packed = true;
    if (chunk.type == "iTXt") {
        if (rest.size() < 2) fail_damaged("a text chunk has no compression flag or method");
        packed = rest.front() != 0;
        rest.remove_prefix(1);
    }
    if (rest.empty() || rest.front() != 0)
        fail_damaged("a text chunk has an unknown compression method");
    rest.remove_prefix(1);
    if (chunk.type == "iTXt") {
        take_until_zero(rest);
        take_until_zero(rest);
    }
    return packed ? unpacked(rest, left) : std::string(rest);
}

} // namespace

bool is_png(std::string_view bytes)
{
    return bytes.starts_with(signature);
}

std::map<std::string, std::string> png_texts(std::string_view bytes)
{
    if (!is_png(bytes)) throw Problem(Kind::unknown, "it is not a PNG");
    PngFile file(bytes);
    std::map<std::string, std::string> texts;
    std::size_t left = max_text_bytes;
    for (const Chunk& chunk : file.texts()) {
        std::string_view rest = chunk.data;
        std::string key(take_until_zero(rest));
        if (!texts.contains(key)) texts.emplace(std::move(key), text_of(chunk, rest, left));
    }
    // Decodes row by row, so that a large picture needs little memory.
    const Context context = file.decoder();
    spng_ihdr header{};
    std::size_t size = 0;
    require(spng_get_ihdr(context.get(), &header));
    require(spng_decoded_image_size(context.get(), SPNG_FMT_PNG, &size));
    require(spng_decode_image(context.get(), nullptr, 0, SPNG_FMT_PNG, SPNG_DECODE_PROGRESSIVE));
    std::vector<char> row(size / header.height);
    int status = 0;
    while (status == 0) status = spng_decode_row(context.get(), row.data(), row.size());
    require(status == SPNG_EOI ? 0 : status);
    require(spng_decode_chunks(context.get()));
    return texts;
}

Pixels decode_png(std::string_view bytes)
{
    PngFile file(bytes);
    const Context context = file.decoder();
    spng_ihdr header{};
    require(spng_get_ihdr(context.get(), &header));
    Pixels pixels{static_cast<int>(header.width), static_cast<int>(header.height), {}};
    std::size_t size = 0;
    require(spng_decoded_image_size(context.get(), SPNG_FMT_RGBA8, &size));
    pixels.rgba.resize(size);
    require(spng_decode_image(context.get(), pixels.rgba.data(), size, SPNG_FMT_RGBA8,
                              SPNG_DECODE_TRNS));
    require(spng_decode_chunks(context.get()));
    return pixels;
}

} // namespace lanescope::pictures
