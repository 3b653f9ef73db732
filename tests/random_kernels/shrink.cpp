// Shrinks a program while it still differs: tries to remove its parts from the largest to the
// smallest, repeatedly, until nothing more can be removed.
#include <algorithm>

#include "tests/random_kernels/program.h"

namespace lanescope::random_kernels {

namespace {

std::size_t size_of(const Block& block)
{
    std::size_t size = 0;
    for (const Statement& one : block) {
        ++size;
        for (const Block& part : one.parts) size += size_of(part);
    }
    return size;
}

// All statement lists of a program, outer ones first.
void lists_in(Block& block, std::vector<Block*>& lists)
{
    lists.push_back(&block);
    for (Statement& one : block)
        for (Block& part : one.parts) lists_in(part, lists);
}

std::vector<Block*> lists_of(Program& program)
{
    std::vector<Block*> lists;
    lists_in(program.body, lists);
    lists_in(program.tail, lists);
    for (Block& function : program.functions) lists_in(function, lists);
    return lists;
}

class Shrinker {
public:
    Shrinker(Program program, const std::function<bool(const Program&)>& differs, int tries)
        : best_(std::move(program)), differs_(differs), left_(tries)
    {
    }

    Program shrink()
    {
        while (left_ > 0 && (runs() || parts() || launches())) {
        }
        return std::move(best_);
    }

private:
    bool keep(Program&& smaller)
    {
        if (left_-- <= 0 || !differs_(smaller)) return false;
        best_ = std::move(smaller);
        return true;
    }

    // Removes runs of statements, long ones first.
    bool runs()
    {
        bool any = false;
        for (std::size_t k = 0; k < lists_of(best_).size() && left_ > 0; ++k) {
            const auto count = [&] { return lists_of(best_)[k]->size(); };
            for (std::size_t length = std::max<std::size_t>(count(), 1); length > 0; length /= 2) {
                for (std::size_t at = 0; at < count() && left_ > 0;) {
                    Program smaller = best_;
                    Block& list = *lists_of(smaller)[k];
                    const std::size_t end = std::min(at + length, list.size());
                    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at),
                               list.begin() + static_cast<std::ptrdiff_t>(end));
                    if (keep(std::move(smaller)))
                        any = true;
                    else
                        at += length;
                    if (k >= lists_of(best_).size()) return any;
                }
            }
        }
        return any;
    }

    // Replaces statements by their parts.
    bool parts()
    {
        for (std::size_t k = 0; k < lists_of(best_).size() && left_ > 0; ++k)
            for (std::size_t at = 0; at < lists_of(best_)[k]->size(); ++at) {
                const Statement& one = (*lists_of(best_)[k])[at];
                if (one.needs_wrapper) continue;
                for (std::size_t part = 0; part < one.parts.size(); ++part) {
                    Program smaller = best_;
                    Block& list = *lists_of(smaller)[k];
                    Block inner = std::move(list[at].parts[part]);
                    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
                    list.insert(list.begin() + static_cast<std::ptrdiff_t>(at),
                                std::make_move_iterator(inner.begin()),
                                std::make_move_iterator(inner.end()));
                    if (keep(std::move(smaller))) return true;
                }
            }
        return false;
    }

    // Tries one block and fewer threads.
    bool launches()
    {
        const Dim3 grid = best_.grid, block = best_.block;
        for (const Dim3 fewer : {Dim3{1, 1, 1}, Dim3{2, 1, 1}}) {
            if (fewer.count() >= grid.count()) continue;
            Program smaller = best_;
            smaller.grid = fewer;
            if (keep(std::move(smaller))) return true;
        }
        const bool whole = block.count() % 32 == 0;
        for (const std::uint32_t fewer : {1u, 2u, 8u, 32u, 33u, 64u}) {
            if (fewer >= block.count() || (whole && fewer % 32 != 0)) continue;
            Program smaller = best_;
            smaller.block = {fewer, 1, 1};
            if (keep(std::move(smaller))) return true;
        }
        return false;
    }

    Program best_;
    const std::function<bool(const Program&)>& differs_;
    int left_;
};

} // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& differs, int tries)
{
    return Shrinker(std::move(program), differs, tries).shrink();
}

std::size_t size_of(const Program& program)
{
    std::size_t size = size_of(program.body) + size_of(program.tail);
    for (const Block& function : program.functions) size += size_of(function);
    return size;
}

} // namespace lanescope::random_kernels
