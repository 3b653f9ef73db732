// Expressions over a lane's values, in the source's own terms: `tile[threadIdx.y][3] == 0`, `sum +
// p.a`, `%f3 > 1`. Supports numbers, names, [ ] . -> * & ! ~ -, C's binary operators with their
// precedence, and ? :.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "compute/simt/debug/inspect.h"

namespace lanescope::simt {

class Expression {
public:
    // Throws Error (bad_usage) with the position if the text is not an expression.
    explicit Expression(std::string_view text);
    ~Expression();
    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) noexcept;

    const std::string& text() const { return text_; }
    // Evaluates in one lane. Throws Error (bad_usage) for unknown names and for operations that
    // their operands don't support. Returns nullopt if a value is not available (invalid address).
    struct Value {
        TypePointer type;
        std::vector<std::byte> bytes;
        std::optional<Address> address; // generic address of a value in memory
        bool truth() const;
    };
    std::optional<Value> evaluate(const Inspector& inspector, const Inspector::LaneAt& lane) const;
    // Evaluates in all lanes of the warp that are on its first path.
    LaneValues evaluate(const Inspector& inspector, int warp) const;
    // Throws Error (bad_usage) for a name that is unknown everywhere in the launch.
    void require_names(const Inspector& inspector) const;
    // True if the expression is true in any lane that the next instruction runs for.
    bool holds(const Inspector& inspector) const;

    struct Node;

private:
    std::string text_;
    std::unique_ptr<Node> root_;
};

} // namespace lanescope::simt
