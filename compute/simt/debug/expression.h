// Expressions over what a lane holds, in the source's own words: `tile[threadIdx.y][3] == 0`, `sum
// + p.a`,
// `%f3 > 1`. Numbers, names, [ ] . -> * & ! ~ -, the binary operators of C with its ranks, and ? :.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compute/simt/debug/inspect.h"

namespace lanescope::simt {

class Expression {
public:
    // Throws Error (bad_usage), a sentence with the place, for what is no expression.
    explicit Expression(std::string_view text);
    ~Expression();
    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) noexcept;

    const std::string& text() const { return text_; }
    // In one lane. Throws Error (bad_usage) for names that mean nothing there and for operations
    // that their operands do not have; a value that is not available (an address outside of all
    // memory) is nothing.
    struct Value {
        TypePointer type;
        std::vector<std::byte> bytes;
        std::optional<Address> address; // generic; of what is in memory
        bool truth() const;
    };
    std::optional<Value> evaluate(const Inspector& inspector, const Inspector::LaneAt& lane) const;
    // In all lanes of the warp that are where its first path is.
    LaneValues evaluate(const Inspector& inspector, int warp) const;
    // Throws Error (bad_usage) for a name that means nothing anywhere in the launch.
    void require_names(const Inspector& inspector) const;
    // Whether it holds in some lane that the next instruction runs for.
    bool holds(const Inspector& inspector) const;

    struct Node;

private:
    std::string text_;
    std::unique_ptr<Node> root_;
};

} // namespace lanescope::simt
