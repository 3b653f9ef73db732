// This program's own file and process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lanescope {

// The command that starts this program again, even if its file has been replaced since.
std::string own_program();
// The file itself, with links resolved; empty if unknown.
std::filesystem::path own_program_file();

// The words of the command line in UTF-8.
class ProgramArguments {
public:
    // Takes main()'s parameters, which on Windows are in another encoding.
    ProgramArguments(int count, char** words);
    int count() const { return static_cast<int>(words_.size()) - 1; }
    char** words() const { return const_cast<char**>(words_.data()); } // ends with a null pointer

private:
    std::vector<std::string> texts_;
    std::vector<char*> words_;
};

int process_id();
bool is_running(int process);

// Number of open files, sockets and the like; a leak shows as growth.
std::ptrdiff_t open_descriptors();
// Bytes of the heap in use.
std::size_t heap_bytes();

} // namespace lanescope
