// Parts of a record that need code, which it refers to by name: computed inputs, references in
// double precision, numbers derived from the input. A lab's .cpp registers them.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/experiment/inputs/image_file.h"
#include "compute/experiment/lab/lab.h"
#include "compute/experiment/record/elements.h"

namespace lanescope::labs {

// Contents of a buffer or image, as made by a fill.
class Data {
public:
    Data() = default;
    template <class T>
    Data(std::vector<T> elements)
    {
        auto owned = std::make_shared<const std::vector<T>>(std::move(elements));
        bytes_ = std::as_bytes(std::span(*owned));
        owner_ = std::move(owned);
    }
    std::span<const std::byte> bytes() const { return bytes_; }

private:
    std::shared_ptr<const void> owner_;
    std::span<const std::byte> bytes_;
};

// Inputs of a fill or a reference, neither of which trusts the record: the record's numbers at the
// given step, and the variant's inputs.
class Scope {
public:
    virtual ~Scope() = default;
    // Value of a parameter, a value or, in a reference, one of its options. Throws
    // std::out_of_range for other names.
    virtual double number(std::string_view name) const = 0;
    // Truncates the fraction. Throws std::out_of_range for a value outside [min, max].
    int whole(std::string_view name, int min = std::numeric_limits<int>::min(),
              int max = std::numeric_limits<int>::max()) const;
    // A number of elements. Throws std::out_of_range for negative or too large values.
    std::size_t count(std::string_view name) const
    {
        return static_cast<std::size_t>(whole(name, 0));
    }
    bool has(std::string_view name) const;
    virtual std::string text(std::string_view parameter) const = 0; // as from Values::text()
    virtual std::uint64_t seed() const = 0;
    virtual const std::filesystem::path& image() const = 0; // the user's picture; may be empty
    // Initial contents of the named buffer.
    virtual Data input(std::string_view buffer) const = 0;
    template <class T>
    std::vector<T> input_of(std::string_view buffer) const
    {
        const Data data = input(buffer);
        std::vector<T> elements(data.bytes().size() / sizeof(T));
        if (!elements.empty())
            std::memcpy(elements.data(), data.bytes().data(), elements.size() * sizeof(T));
        return elements;
    }
    // In a reference: evaluates the option, an expression over i, x and y,
    // for each element of the result.
    virtual std::vector<double> each(std::string_view option) const = 0;
    // Computed once per preparation of an experiment, however many fills and values use it.
    template <class T, class Make>
    const T& kept(const std::string& name, Make&& make) const
    {
        std::any& place = keep(name);
        if (!place.has_value()) place = std::make_shared<T>(make());
        return *std::any_cast<const std::shared_ptr<T>&>(place);
    }

protected:
    virtual std::any& keep(const std::string& name) const = 0;
};

// Throws std::out_of_range ("it needs …") unless `fits`: a record may combine a fill or
// reference with unsuitable numbers and buffers. The caller turns the exception into an Error
// with the location in the record.
void require_fit(bool fits, const std::string& needed);
// Product of the extents, each at least 0. Throws std::out_of_range if that many numbers exceed the
// memory that a lab may hold.
std::size_t fitting_count(std::initializer_list<std::size_t> extents);

// Creates the contents of a buffer or image; missing elements at the end are 0.
struct FillRequest {
    std::vector<std::int64_t> extents{}; // in elements, fastest dimension first
    std::map<std::string, double, std::less<>> options{};
    ElementType type{}; // element type; as_elements() converts numbers to it

    double option(std::string_view name, double otherwise) const
    {
        const auto found = options.find(name);
        return found == options.end() ? otherwise : found->second;
    }
    // Truncates the fraction. Throws std::out_of_range for a value outside [min, max].
    std::int64_t whole_option(std::string_view name, std::int64_t otherwise, std::int64_t min = 0,
                              std::int64_t max = std::int64_t{1} << 53) const;
    // Product of all extents, which are known to fit into memory.
    std::size_t count() const;
};
struct Fill {
    std::function<Data(const Scope&, const FillRequest&)> make;
};

// Converts numbers to elements of the type: rounds down to integers, and to the nearest
// representable value.
Data as_elements(ElementType type, std::vector<float> numbers);
// A picture's pixels as elements, by nearest-neighbour sampling: "channels" 1 (brightness), 3 or 4
// per pixel, from 0 to 255 or, for real types, 0 to 1. Whole pixels for 4-byte types.
Data image_elements(const Rgba8Image& picture, const FillRequest& request);

// The correct result, defined in one of three ways.
struct Reference {
    // The result of a step, computed from the inputs.
    std::function<std::vector<double>(const Scope&)> result{};
    // Or a state that starts as the result buffer's initial contents and advances step by step.
    // `paint` applies a stroke, whose values are in the scope.
    std::function<void(std::vector<double>& state, const Scope&)> advance{};
    std::function<void(std::vector<double>& state, const Scope&)> paint{};
    // Or a custom check of the result's bytes.
    std::function<Check(const Scope&, std::span<const std::byte> got, double tolerance)> check{};
};

// A number derived from the input, computed when an experiment is prepared.
struct Computed {
    std::function<double(const Scope&)> of;
    bool by_variant = false; // depends on values that variants give; otherwise computed only once
};

template <class T>
std::map<std::string, T, std::less<>>& all_named()
{
    static std::map<std::string, T, std::less<>> all;
    return all;
}

// A constant of this type in a lab's .cpp registers the named thing.
template <class T>
struct Named {
    Named(std::string name, T thing) { all_named<T>().emplace(std::move(name), std::move(thing)); }
};

// Throws Error (bad_usage) that lists the available names.
const Fill& find_fill(std::string_view name, std::string_view where);
const Reference& find_reference(std::string_view name, std::string_view where);
const Computed& find_computed(std::string_view name, std::string_view where);

} // namespace lanescope::labs
