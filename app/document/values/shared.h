// An immutable value that is cheap to copy. Compared by value.
#pragma once

#include <memory>
#include <utility>

namespace lanescope::app {

template <class Value>
class Shared {
public:
    Shared() : Shared(Value()) {}
    Shared(Value value) : value_(std::make_shared<const Value>(std::move(value))) {}
    const Value& operator*() const { return *value_; }
    const Value* operator->() const { return value_.get(); }
    friend bool operator==(const Shared& a, const Shared& b)
    {
        return a.value_ == b.value_ || *a.value_ == *b.value_;
    }

private:
    std::shared_ptr<const Value> value_; // never null
};

} // namespace lanescope::app
