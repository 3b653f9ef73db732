// Serialises recordings; counts and lengths precede their data.
#include "tests/conformance/recording.h"

#include <cstring>
#include <fstream>
#include <stdexcept>

namespace lanescope::conformance {

namespace {

// FNV-1a.
class Hash {
public:
    void add(std::span<const std::byte> bytes)
    {
        for (const std::byte byte : bytes)
            value_ = (value_ ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3u;
    }
    void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
    void add(std::uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

void write_number(std::ostream& out, std::uint64_t number, int bytes)
{
    out.write(reinterpret_cast<const char*>(&number), bytes);
}
std::uint64_t read_number(std::istream& in, int bytes)
{
    std::uint64_t number = 0;
    in.read(reinterpret_cast<char*>(&number), bytes);
    return number;
}

} // namespace

std::uint64_t checksum(const Case& test)
{
    Hash hash;
    // Compiled kernels have no text here, since compilers differ: name and inputs identify them.
    hash.add(test.ptx);
    hash.add(test.kernel);
    for (const Dim3& size : {test.grid, test.block})
        hash.add(std::uint64_t{size.x} << 40 ^ std::uint64_t{size.y} << 20 ^ size.z);
    for (const Output& output : test.outputs) hash.add(output.bytes);
    for (const Bytes& input : test.inputs) hash.add(input);
    for (const ImageInput& image : test.images) hash.add(image.texels);
    for (const device::Argument& scalar : test.scalars) hash.add(scalar.bytes());
    return hash.value();
}

void write_recording(const std::filesystem::path& file, const Recording& recording)
{
    std::ofstream out(file, std::ios::binary);
    for (const auto& [name, recorded] : recording) {
        write_number(out, name.size(), 2);
        out << name;
        write_number(out, recorded.checksum, 8);
        write_number(out, recorded.outputs.size(), 2);
        for (const Bytes& output : recorded.outputs) {
            write_number(out, output.size(), 4);
            out.write(reinterpret_cast<const char*>(output.data()),
                      static_cast<std::streamsize>(output.size()));
        }
    }
    if (!out) throw std::runtime_error("Cannot write " + file.string() + ".");
}

Recording read_recording(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    if (!in)
        throw std::runtime_error("There is no recording " + file.string() +
                                 ": make it on a GPU with --record.");
    Recording recording;
    while (in.peek() != std::istream::traits_type::eof()) {
        std::string name(read_number(in, 2), '\0');
        in.read(name.data(), static_cast<std::streamsize>(name.size()));
        Recorded& recorded = recording[name];
        recorded.checksum = read_number(in, 8);
        recorded.outputs.resize(read_number(in, 2));
        for (Bytes& output : recorded.outputs) {
            output.resize(read_number(in, 4));
            in.read(reinterpret_cast<char*>(output.data()),
                    static_cast<std::streamsize>(output.size()));
        }
        if (!in) throw std::runtime_error("The recording " + file.string() + " is cut off.");
    }
    return recording;
}

} // namespace lanescope::conformance
