// An immutable, type-erased std::variant. Copy, move and destruction are independent of the type: a
// std::variant of 60 types would instantiate 60 of each in every file that uses it, up to a third
// of the file's compile time.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>

namespace lanescope::app {

template <class... Types>
class OneOf {
public:
    static constexpr std::size_t count = sizeof...(Types);
    template <std::size_t index>
    using At = std::tuple_element_t<index, std::tuple<Types...>>;

    OneOf() : OneOf(At<0>()) {}
    template <class One>
    requires(std::same_as<One, Types> || ...) OneOf(One one)
        : index_(index_of<One>()), value_(std::make_shared<const One>(std::move(one)))
    {
    }

    // Index of the held type among the types.
    std::size_t index() const { return index_; }
    template <class One>
    bool is() const
    {
        return index_ == index_of<One>();
    }
    // Null if it holds another type.
    template <class One>
    const One* get_if() const
    {
        return is<One>() ? static_cast<const One*>(value_.get()) : nullptr;
    }
    // Calls visitor(value), where `value` has its actual type.
    template <class Visitor>
    void visit(Visitor visitor) const
    {
        ((is<Types>() && (visitor(*get_if<Types>()), true)) || ...);
    }

private:
    template <class One>
    static constexpr std::size_t index_of()
    {
        std::size_t index = 0;
        ((std::same_as<One, Types> || (++index, false)) || ...);
        return index;
    }

    std::size_t index_;
    std::shared_ptr<const void> value_; // never null
};

} // namespace lanescope::app
