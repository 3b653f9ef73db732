// Reads one line per kernel: its name, its verdict, and the line of the fault.
#include "tests/support/courses.h"

#include <fstream>
#include <sstream>

namespace lanescope::test {

std::vector<Course> courses()
{
    std::vector<Course> all;
    std::ifstream file(Course::folder() + "verdicts.txt");
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        Course one;
        words >> one.name >> one.kind >> one.line;
        all.push_back(one);
    }
    return all;
}

} // namespace lanescope::test
