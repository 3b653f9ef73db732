// A syntax tree that is evaluated per lane. Integers are computed in 64 bits and truncated to their
// C type; float stays float.
#include "compute/simt/debug/expression.h"

#include <cmath>
#include <cstring>

#include <charconv>
#include <fmt/format.h>

#include "compute/error.h"
#include "compute/read_number.h"
#include "compute/text.h"

namespace lanescope::simt {

struct Expression::Node {
    enum class Kind : std::uint8_t { integer, real, name, member, index, unary, binary, choice };
    Kind kind = Kind::integer;
    std::int64_t number = 0;
    bool is_float = false; // has the suffix f: 1.5f
    double real = 0;
    std::string text; // a name, a member or an operator
    std::vector<std::unique_ptr<Node>> parts;
    int height = 1; // of the subtree
};

namespace {

// Limits the depth of a tree, because recursive functions traverse and destroy it.
constexpr int max_height = 200;

using Node = Expression::Node;
using NodePointer = std::unique_ptr<Node>;
using Value = Expression::Value;
using Kind = ptx::SourceType::Kind;

[[noreturn]] void fail(std::string_view text, const std::string& what)
{
    constexpr std::size_t max_quoted = 60; // bytes of the text quoted in a message
    throw Error(
        ExitStatus::bad_usage,
        fmt::format("\"{}\": {}.", shortened(text, max_quoted), shortened(what, 2 * max_quoted)),
        "Expressions are as in C: tile[3][4] == 0, i + 1, p.x, *in, %f3.");
}

struct Operator {
    std::string_view text;
    int rank;
};
constexpr std::array operators{
    Operator{"||", 1}, Operator{"&&", 2}, Operator{"|", 3},  Operator{"^", 4},  Operator{"&", 5},
    Operator{"==", 6}, Operator{"!=", 6}, Operator{"<=", 7}, Operator{">=", 7}, Operator{"<<", 8},
    Operator{">>", 8}, Operator{"<", 7},  Operator{">", 7},  Operator{"+", 9},  Operator{"-", 9},
    Operator{"*", 10}, Operator{"/", 10}, Operator{"%", 10}};

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    NodePointer whole()
    {
        NodePointer node = choice();
        skip();
        if (at_ != text_.size()) fail(text_, fmt::format("cannot read \"{}\"", text_.substr(at_)));
        return node;
    }

private:
    void skip()
    {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
    }
    bool accept(std::string_view what)
    {
        skip();
        if (!text_.substr(at_).starts_with(what)) return false;
        at_ += what.size();
        return true;
    }
    void expect(std::string_view what)
    {
        if (!accept(what)) fail(text_, fmt::format("{} is missing", what));
    }
    static NodePointer made(Node::Kind kind, std::string text)
    {
        auto node = std::make_unique<Node>();
        node->kind = kind;
        node->text = std::move(text);
        return node;
    }

    void add(Node& node, NodePointer part)
    {
        node.height = std::max(node.height, part->height + 1);
        if (node.height > max_height)
            fail(text_, fmt::format("it has more than {} operators in a row", max_height));
        node.parts.push_back(std::move(part));
    }
    void enter()
    {
        if (++depth_ > max_height) fail(text_, "it is nested too deeply");
    }

    NodePointer choice()
    {
        enter();
        NodePointer condition = binary(1);
        if (accept("?")) {
            NodePointer node = made(Node::Kind::choice, "?");
            add(*node, std::move(condition));
            add(*node, choice());
            expect(":");
            add(*node, choice());
            condition = std::move(node);
        }
        --depth_;
        return condition;
    }

    NodePointer binary(int rank)
    {
        if (rank > 10) return unary();
        NodePointer left = binary(rank + 1);
        for (;;) {
            skip();
            const Operator* found = nullptr;
            for (const Operator& each : operators)
                if (text_.substr(at_).starts_with(each.text) &&
                    (found == nullptr || each.text.size() > found->text.size()))
                    found = &each;
            // "%f3" after a value is the remainder operator, not a register: registers can only
            // occur where a value is expected.
            if (found == nullptr || found->rank != rank) return left;
            at_ += found->text.size();
            NodePointer node = made(Node::Kind::binary, std::string(found->text));
            add(*node, std::move(left));
            add(*node, binary(rank + 1));
            left = std::move(node);
        }
    }

    NodePointer unary()
    {
        enter();
        skip();
        NodePointer node;
        for (const std::string_view sign : {"-", "!", "~", "*", "&", "+"})
            if (!node && accept(sign)) {
                node = made(Node::Kind::unary, std::string(sign));
                add(*node, unary());
            }
        if (!node) node = postfix();
        --depth_;
        return node;
    }

    NodePointer postfix()
    {
        NodePointer node = primary();
        for (;;) {
            if (accept("[")) {
                NodePointer index = made(Node::Kind::index, "[]");
                add(*index, std::move(node));
                add(*index, choice());
                expect("]");
                node = std::move(index);
            } else if (accept("->")) {
                NodePointer pointed = made(Node::Kind::unary, "*");
                add(*pointed, std::move(node));
                node = member(std::move(pointed));
            } else if (skip(), at_ < text_.size() && text_[at_] == '.') {
                ++at_;
                node = member(std::move(node));
            } else {
                return node;
            }
        }
    }

    NodePointer member(NodePointer of)
    {
        const std::string name = word();
        if (name.empty()) fail(text_, "the name of a member is missing");
        if (of->kind == Node::Kind::name && (of->text == "threadIdx" || of->text == "blockIdx" ||
                                             of->text == "blockDim" || of->text == "gridDim"))
            return made(Node::Kind::name, of->text + "." + name);
        NodePointer node = made(Node::Kind::member, name);
        add(*node, std::move(of));
        return node;
    }

    std::string word()
    {
        skip();
        const std::size_t begin = at_;
        while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                      text_[at_] == '_' || text_[at_] == '$'))
            ++at_;
        return std::string(text_.substr(begin, at_ - begin));
    }

    NodePointer primary()
    {
        skip();
        if (at_ == text_.size()) fail(text_, "a value is missing at its end");
        if (accept("(")) {
            NodePointer node = choice();
            expect(")");
            return node;
        }
        const char c = text_[at_];
        if (c == '%') {
            ++at_;
            return made(Node::Kind::name, "%" + word());
        }
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
        std::string name = word();
        if (name.empty()) fail(text_, fmt::format("cannot read \"{}\"", text_.substr(at_)));
        if (name == "true" || name == "false") {
            NodePointer node = made(Node::Kind::integer, name);
            node->number = name == "true";
            return node;
        }
        return made(Node::Kind::name, std::move(name));
    }

    NodePointer number()
    {
        const char* const begin = text_.data() + at_;
        const char* const end = text_.data() + text_.size();
        if (text_.substr(at_).starts_with("0x") || text_.substr(at_).starts_with("0X")) {
            std::uint64_t value = 0;
            const auto [stop, error] = std::from_chars(begin + 2, end, value, 16);
            if (error != std::errc()) fail(text_, "a hexadecimal number is out of range");
            at_ = static_cast<std::size_t>(stop - text_.data());
            NodePointer node = made(Node::Kind::integer, {});
            node->number = static_cast<std::int64_t>(value);
            suffix();
            return node;
        }
        double real = 0;
        const auto [stop, error] = read_number(begin, end, real);
        if (error != std::errc()) fail(text_, fmt::format("cannot read \"{}\"", text_.substr(at_)));
        const std::string_view digits(begin, static_cast<std::size_t>(stop - begin));
        at_ += digits.size();
        if (digits.find_first_of(".eE") == std::string_view::npos) {
            NodePointer node = made(Node::Kind::integer, {});
            std::from_chars(begin, stop, node->number);
            if (at_ < text_.size() && (text_[at_] == 'f' || text_[at_] == 'F'))
                fail(text_, "a float needs a point: 1.0f");
            suffix();
            return node;
        }
        NodePointer node = made(Node::Kind::real, {});
        node->real = real;
        if (at_ < text_.size() && (text_[at_] == 'f' || text_[at_] == 'F')) {
            node->is_float = true;
            ++at_;
        }
        return node;
    }
    void suffix()
    {
        while (at_ < text_.size() &&
               std::string_view("uUlL").find(text_[at_]) != std::string_view::npos)
            ++at_;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

// Intermediate value of an evaluation.
struct Number {
    bool real = false;
    bool single = false; // float, not double
    bool is_unsigned = false;
    int bytes = 4; // size in bytes; integers only
    double r = 0;
    std::int64_t i = 0;
    double as_real() const
    {
        if (real) return r;
        return is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(i))
                           : static_cast<double>(i);
    }
    bool truth() const { return real ? r != 0 : i != 0; }
};

TypePointer plain(Kind kind, const char* name, bool is_signed, std::size_t bytes)
{
    auto made = std::make_shared<ptx::SourceType>();
    made->kind = kind;
    made->name = name;
    made->is_signed = is_signed;
    made->bytes = bytes;
    return made;
}

Value value_of(const Number& number)
{
    static const TypePointer single = plain(Kind::real, "float", true, 4);
    static const TypePointer twice = plain(Kind::real, "double", true, 8);
    static const TypePointer int32 = plain(Kind::integer, "int", true, 4);
    static const TypePointer uint32 = plain(Kind::integer, "unsigned int", false, 4);
    static const TypePointer int64 = plain(Kind::integer, "long long", true, 8);
    static const TypePointer uint64 = plain(Kind::integer, "unsigned long long", false, 8);
    Value value;
    const auto put = [&](const auto& bits, const TypePointer& type) {
        value.type = type;
        value.bytes.resize(sizeof bits);
        std::memcpy(value.bytes.data(), &bits, sizeof bits);
    };
    if (number.real && number.single)
        put(static_cast<float>(number.r), single);
    else if (number.real)
        put(number.r, twice);
    else if (number.bytes == 8)
        put(number.i, number.is_unsigned ? uint64 : int64);
    else
        put(static_cast<std::int32_t>(number.i), number.is_unsigned ? uint32 : int32);
    return value;
}

class Evaluation {
public:
    Evaluation(std::string_view text, const Inspector& inspector, const Inspector::LaneAt& lane)
        : text_(text), inspector_(inspector), lane_(lane)
    {
    }

    // Returns nullopt if the value is not available.
    std::optional<Value> of(const Node& node)
    {
        switch (node.kind) {
        case Node::Kind::integer: {
            Number number;
            number.i = node.number;
            if (node.number > INT32_MAX || node.number < INT32_MIN) number.bytes = 8;
            return value_of(number);
        }
        case Node::Kind::real: {
            Number number;
            number.real = true;
            number.single = node.is_float;
            number.r = node.real;
            return value_of(number);
        }
        case Node::Kind::name: {
            auto found = inspector_.named(lane_, node.text);
            if (!found && inspector_.knows(node.text)) return std::nullopt; // not set yet
            if (!found) fail(text_, fmt::format("there is no {} here", node.text));
            return Value{found->type, std::move(found->bytes), found->address};
        }
        case Node::Kind::member: return member(node);
        case Node::Kind::index: return index(node);
        case Node::Kind::unary: return unary(node);
        case Node::Kind::binary: return binary(node);
        case Node::Kind::choice: {
            const auto condition = number(*node.parts[0]);
            if (!condition) return std::nullopt;
            return of(*node.parts[condition->truth() ? 1 : 2]);
        }
        }
        return std::nullopt;
    }

private:
    std::optional<Value> member(const Node& node)
    {
        const auto whole = of(*node.parts[0]);
        if (!whole) return std::nullopt;
        if (whole->type->kind != Kind::record)
            fail(text_, fmt::format("member {} of something that has no members", node.text));
        for (const auto& each : whole->type->members) {
            if (each.name != node.text) continue;
            const auto part = part_of(whole->bytes, each.offset, each.type->bytes);
            if (!part) return std::nullopt;
            return Value{each.type,
                         {part->begin(), part->end()},
                         whole->address ? std::optional(*whole->address + each.offset)
                                        : std::nullopt};
        }
        fail(text_, fmt::format("{} has no member {}", whole->type->name, node.text));
    }

    std::optional<Value> pointed(const TypePointer& type, Address address)
    {
        if (!type || type->bytes == 0) fail(text_, "a void pointer cannot be dereferenced");
        auto bytes = inspector_.read(lane_, address, type->bytes);
        if (!bytes) return std::nullopt;
        return Value{type, std::move(*bytes), address};
    }

    // Element type of a multi-dimensional array: an array without the first dimension.
    static TypePointer element(const ptx::SourceType& array)
    {
        if (array.extents.size() < 2) return array.element;
        auto inner = std::make_shared<ptx::SourceType>(array);
        inner->extents.erase(inner->extents.begin());
        inner->bytes = inner->element ? inner->element->bytes : 0;
        for (const std::uint64_t extent : inner->extents) inner->bytes *= extent;
        inner->name = array.element ? array.element->name + " " : "";
        for (const std::uint64_t extent : inner->extents)
            inner->name += fmt::format("[{}]", extent);
        return inner;
    }

    std::optional<Value> index(const Node& node)
    {
        const auto whole = of(*node.parts[0]);
        const auto at = number(*node.parts[1]);
        if (!whole || !at) return std::nullopt;
        if (at->real) fail(text_, "an index is not an integer");
        if (whole->type->kind == Kind::pointer) {
            if (!whole->type->element || whole->type->element->bytes == 0)
                fail(text_, "a void pointer cannot be dereferenced");
            const Address step = whole->type->element->bytes;
            return pointed(whole->type->element,
                           address_in(*whole) + static_cast<Address>(at->i) * step);
        }
        if (whole->type->kind != Kind::array) fail(text_, "[] needs an array or a pointer");
        const TypePointer type = element(*whole->type);
        if (!type || type->bytes == 0) return std::nullopt;
        const auto number = static_cast<std::uint64_t>(at->i);
        if (number >= whole->bytes.size() / type->bytes) return std::nullopt;
        const std::uint64_t offset = number * type->bytes;
        const auto part = part_of(whole->bytes, offset, type->bytes);
        return Value{type,
                     {part->begin(), part->end()},
                     whole->address ? std::optional(*whole->address + offset) : std::nullopt};
    }

    static Address address_in(const Value& pointer)
    {
        Address address = 0;
        std::memcpy(&address, pointer.bytes.data(), std::min<std::size_t>(8, pointer.bytes.size()));
        return address;
    }

    std::optional<Number> number(const Node& node)
    {
        const auto value = of(node);
        if (!value) return std::nullopt;
        return number(*value);
    }

    std::optional<Number> number(const Value& value)
    {
        if (value.bytes.empty() && value.type->kind != Kind::array) return std::nullopt;
        Number made;
        switch (value.type->kind) {
        case Kind::real:
            made.real = true;
            if (value.bytes.size() == 4) {
                float single = 0;
                std::memcpy(&single, value.bytes.data(), 4);
                made.single = true;
                made.r = static_cast<double>(single);
            } else if (value.bytes.size() == 8) {
                std::memcpy(&made.r, value.bytes.data(), 8);
            } else {
                fail(text_, fmt::format("{} cannot be used in a calculation", value.type->name));
            }
            return made;
        case Kind::boolean:
        case Kind::character:
        case Kind::integer: {
            std::uint64_t bits = 0;
            const std::size_t bytes = std::min<std::size_t>(8, value.bytes.size());
            std::memcpy(&bits, value.bytes.data(), bytes);
            const auto shift = static_cast<int>(64 - 8 * bytes);
            made.i = value.type->is_signed && shift > 0 && shift < 64
                         ? static_cast<std::int64_t>(bits << shift) >> shift
                         : static_cast<std::int64_t>(bits);
            made.bytes = bytes == 8 ? 8 : 4;
            made.is_unsigned = !value.type->is_signed && bytes >= 4;
            return made;
        }
        case Kind::pointer:
            made.i = static_cast<std::int64_t>(address_in(value));
            made.bytes = 8;
            made.is_unsigned = true;
            return made;
        case Kind::array:
            if (!value.address) fail(text_, "an array in registers has no address");
            made.i = static_cast<std::int64_t>(*value.address);
            made.bytes = 8;
            made.is_unsigned = true;
            return made;
        default: fail(text_, fmt::format("{} is not a number", value.type->name));
        }
    }

    std::optional<Value> unary(const Node& node)
    {
        if (node.text == "*") {
            const auto pointer = of(*node.parts[0]);
            if (!pointer) return std::nullopt;
            if (pointer->type->kind == Kind::array && pointer->address)
                return pointed(element(*pointer->type), *pointer->address);
            if (pointer->type->kind != Kind::pointer) fail(text_, "* needs a pointer");
            return pointed(pointer->type->element, address_in(*pointer));
        }
        if (node.text == "&") {
            const auto value = of(*node.parts[0]);
            if (!value) return std::nullopt;
            if (!value->address) fail(text_, "a value in a register has no address");
            auto type = std::make_shared<ptx::SourceType>();
            type->kind = Kind::pointer;
            type->bytes = 8;
            type->element = value->type;
            type->name = value->type->name + " *";
            Value made{type, std::vector<std::byte>(8), std::nullopt};
            std::memcpy(made.bytes.data(), &*value->address, 8);
            return made;
        }
        auto value = number(*node.parts[0]);
        if (!value) return std::nullopt;
        if (node.text == "-") {
            value->r = -value->r;
            value->i = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value->i));
        } else if (node.text == "!") {
            Number made;
            made.i = !value->truth();
            return value_of(made);
        } else if (node.text == "~") {
            if (value->real) fail(text_, "~ needs an integer");
            value->i = ~value->i;
        }
        return value_of(*value);
    }

    static Value truth(bool holds)
    {
        Number made;
        made.i = holds;
        return value_of(made);
    }

    std::optional<Value> binary(const Node& node)
    {
        const std::string& op = node.text;
        const auto left = number(*node.parts[0]);
        if (!left) return std::nullopt;
        if (op == "&&" && !left->truth()) return truth(false);
        if (op == "||" && left->truth()) return truth(true);
        const auto right = number(*node.parts[1]);
        if (!right) return std::nullopt;
        if (op == "&&" || op == "||") return truth(right->truth());
        return left->real || right->real ? real_binary(op, *left, *right)
                                         : integer_binary(op, *left, *right);
    }

    // Empty if the operator is not a comparison.
    template <class T>
    static std::optional<bool> compared(const std::string& op, T a, T b)
    {
        if (op == "==") return a == b;
        if (op == "!=") return a != b;
        if (op == "<") return a < b;
        if (op == "<=") return a <= b;
        if (op == ">") return a > b;
        if (op == ">=") return a >= b;
        return std::nullopt;
    }

    Value real_binary(const std::string& op, const Number& left, const Number& right)
    {
        const double a = left.as_real();
        const double b = right.as_real();
        if (const auto holds = compared(op, a, b)) return truth(*holds);
        Number made;
        made.real = true;
        made.single = !(left.real && !left.single) && !(right.real && !right.single);
        if (op == "+")
            made.r = a + b;
        else if (op == "-")
            made.r = a - b;
        else if (op == "*")
            made.r = a * b;
        else if (op == "/")
            made.r = a / b;
        else
            fail(text_, fmt::format("{} needs integers", op));
        return value_of(made);
    }

    // The value in 32 bits, extended, unless its type has 64.
    static std::int64_t cut(std::int64_t value, const Number& type)
    {
        if (type.bytes == 8) return value;
        return type.is_unsigned ? static_cast<std::int64_t>(static_cast<std::uint32_t>(value))
                                : static_cast<std::int64_t>(static_cast<std::int32_t>(value));
    }

    // Empty for a division by zero.
    static std::optional<Value> integer_binary(const std::string& op, const Number& left,
                                               const Number& right)
    {
        Number made;
        made.bytes = std::max(left.bytes, right.bytes);
        made.is_unsigned = (left.is_unsigned && left.bytes == made.bytes) ||
                           (right.is_unsigned && right.bytes == made.bytes);
        const std::int64_t a = cut(left.i, made);
        const std::int64_t b = cut(right.i, made);
        const auto ua = static_cast<std::uint64_t>(a);
        const auto ub = static_cast<std::uint64_t>(b);
        if (const auto holds = made.is_unsigned ? compared(op, ua, ub) : compared(op, a, b))
            return truth(*holds);
        if (op == "+")
            made.i = static_cast<std::int64_t>(ua + ub);
        else if (op == "-")
            made.i = static_cast<std::int64_t>(ua - ub);
        else if (op == "*")
            made.i = static_cast<std::int64_t>(ua * ub);
        else if (op == "&")
            made.i = a & b;
        else if (op == "|")
            made.i = a | b;
        else if (op == "^")
            made.i = a ^ b;
        else if (op == "<<")
            made.i = static_cast<std::int64_t>(ua << (ub & 63));
        else if (op == ">>")
            made.i = made.is_unsigned ? static_cast<std::int64_t>(ua >> (ub & 63)) : a >> (ub & 63);
        else {
            if (b == 0) return std::nullopt;
            const bool overflow = !made.is_unsigned && b == -1;
            if (op == "/")
                made.i = overflow           ? static_cast<std::int64_t>(0 - ua)
                         : made.is_unsigned ? static_cast<std::int64_t>(ua / ub)
                                            : a / b;
            else
                made.i = overflow           ? 0
                         : made.is_unsigned ? static_cast<std::int64_t>(ua % ub)
                                            : a % b;
        }
        made.i = cut(made.i, made);
        return value_of(made);
    }

    std::string_view text_;
    const Inspector& inspector_;
    const Inspector::LaneAt& lane_;
};

} // namespace

Expression::Expression(std::string_view text) : text_(text), root_(Reader(text_).whole()) {}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

bool Expression::Value::truth() const
{
    for (const std::byte byte : bytes)
        if (byte != std::byte{0}) {
            // -0.0 is false.
            if (type && type->kind == Kind::real && byte == std::byte{0x80} &&
                &byte == &bytes.back())
                return false;
            return true;
        }
    return false;
}

std::optional<Expression::Value> Expression::evaluate(const Inspector& inspector,
                                                      const Inspector::LaneAt& lane) const
{
    return Evaluation(text_, inspector, lane).of(*root_);
}

LaneValues Expression::evaluate(const Inspector& inspector, int warp) const
{
    LaneValues values;
    const Warp* of = nullptr;
    const Frame* frame = nullptr;
    std::optional<Error> problem;
    bool evaluated = false;
    const WarpView view = inspector.warp_view(warp);
    const std::uint32_t first = view.paths.empty() ? 0 : view.paths.front().mask;
    for (const bool leading : {true, false})
        for (int lane = 0; lane < warp_lanes; ++lane) {
            if (((first >> lane & 1u) != 0) != leading) continue;
            const auto at = inspector.lane_at(warp, lane);
            if (!at) continue;
            if (frame == nullptr) frame = &at->frame();
            if (&at->frame() != frame) continue;
            of = at->warp;
            try {
                auto value = evaluate(inspector, *at);
                evaluated = true;
                if (!value || value->bytes.empty()) continue;
                values.type = value->type;
                values.lanes[static_cast<std::size_t>(lane)] = std::move(value->bytes);
                values.lanes_with |= 1u << lane;
            } catch (const Error& error) {
                if (!problem) problem = error;
            }
        }
    if (of == nullptr)
        throw Error(ExitStatus::bad_usage, "No lane of this warp is still running.",
                    "Choose another warp, or step back.");
    if (!evaluated && problem) throw *problem;
    return values;
}

void Expression::require_names(const Inspector& inspector) const
{
    const auto require = [&](const auto& self, const Node& node) -> void {
        if (node.kind == Node::Kind::name && !inspector.knows(node.text))
            fail(text_, fmt::format("there is no {} in this kernel", node.text));
        for (const NodePointer& part : node.parts) self(self, *part);
    };
    require(require, *root_);
}

bool Expression::holds(const Inspector& inspector) const
{
    const std::uint32_t mask = inspector.timeline().walk().next_mask();
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto at = inspector.lane_at(inspector.warp(), lowest_lane(rest));
        if (!at) continue;
        try {
            const auto value = evaluate(inspector, *at);
            if (value && value->truth()) return true;
        } catch (const Error&) {
            continue; // the name is unknown in this lane
        }
    }
    return false;
}

} // namespace lanescope::simt
