// A zero byte follows the contents of each file, so that they can be used as a C string, like those
// of embedded files.
#include "assets/package.h"

#include <charconv>

namespace lanescope::assets {

std::string pack(const std::vector<File>& files)
{
    std::string package;
    for (const File& file : files)
        for (const std::string_view part :
             {file.path, std::string_view(std::to_string(file.bytes.size())), file.bytes}) {
            package += part;
            package += '\0';
        }
    return package;
}

std::vector<File> unpack(std::string_view package)
{
    std::vector<File> files;
    while (!package.empty()) {
        const std::size_t path = package.find('\0');
        const std::size_t digits = path == package.npos ? path : package.find('\0', path + 1);
        if (digits == package.npos) break;
        std::size_t length = 0;
        std::from_chars(package.data() + path + 1, package.data() + digits, length);
        if (length >= package.size() - digits - 1) break;
        files.push_back({package.substr(0, path), package.substr(digits + 1, length)});
        package.remove_prefix(digits + length + 2);
    }
    return files;
}

} // namespace lanescope::assets
