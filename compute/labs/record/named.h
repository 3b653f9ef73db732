// What a record names because text cannot say it: inputs that are computed, references in double
// precision, numbers that come from the input. A lab's .cpp registers them; a record finds them.
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

#include "compute/labs/image_file.h"
#include "compute/labs/lab.h"
#include "compute/labs/record/elements.h"

namespace lanescope::labs {

// Bytes of a buffer or an image, as a fill made them.
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

// What a fill or a reference may ask, neither of which trusts the record: the numbers of the record
// as they stood at the step in question, and the variant's inputs.
class Scope {
public:
    virtual ~Scope() = default;
    // Of a parameter, a value or, in a reference, one of its options. std::out_of_range for others.
    virtual double number(std::string_view name) const = 0;
    // Cut off behind the point. Throws std::out_of_range for what is not from `least` to `most`.
    int whole(std::string_view name, int least = std::numeric_limits<int>::min(),
              int most = std::numeric_limits<int>::max()) const;
    // A number of elements, from 0. Throws std::out_of_range for others.
    std::size_t count(std::string_view name) const
    {
        return static_cast<std::size_t>(whole(name, 0));
    }
    bool has(std::string_view name) const;
    virtual std::string text(std::string_view parameter) const = 0; // as Values::text
    virtual std::uint64_t seed() const = 0;
    virtual const std::filesystem::path& image() const = 0; // the user's picture; may be empty
    // What the named buffer was filled with.
    virtual Data input(std::string_view buffer) const = 0;
    template <class T>
    std::vector<T> input_of(std::string_view buffer) const
    {
        const Data data = input(buffer);
        std::vector<T> elements(data.bytes().size() / sizeof(T));
        std::memcpy(elements.data(), data.bytes().data(), elements.size() * sizeof(T));
        return elements;
    }
    // In a reference: the option, an expression over i, x and y, for each element of the result.
    virtual std::vector<double> each(std::string_view option) const = 0;
    // Made once while an experiment is prepared, however many fills and values ask for it.
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

// A record may name anything with numbers and buffers that do not go with it. Throws
// std::out_of_range, which becomes an Error with the place in the record, unless they do: "it needs
// …".
void require_fit(bool fits, const std::string& needed);
// The product of the extents, each at least 0. Throws std::out_of_range where so many numbers do
// not fit into the memory that a lab may hold.
std::size_t fitting_count(std::initializer_list<std::size_t> extents);

// Makes the contents of a buffer or an image; what is missing at its end is 0.
struct FillRequest {
    std::vector<std::int64_t> extents{}; // elements, fastest first
    std::map<std::string, double, std::less<>> options{};
    ElementType type{}; // of the elements: numbers of others are made into these by as_elements()

    double option(std::string_view name, double otherwise) const
    {
        const auto found = options.find(name);
        return found == options.end() ? otherwise : found->second;
    }
    // Cut off behind the point. Throws std::out_of_range for what is not from `least` to `most`.
    std::int64_t whole_option(std::string_view name, std::int64_t otherwise, std::int64_t least = 0,
                              std::int64_t most = std::int64_t{1} << 53) const;
    // Of all extents; they are known to fit into memory.
    std::size_t count() const;
};
struct Fill {
    std::function<Data(const Scope&, const FillRequest&)> make;
};

// The numbers as elements of the type: rounded down to whole ones, and to the nearest that there
// is.
Data as_elements(ElementType type, std::vector<float> numbers);
// A picture's pixels as elements, seen from the pixel nearest to each: "channels" 1 (brightness), 3
// or 4 of them a pixel, from 0 to 255 or, of real types, to 1. Whole pixels for types of 4 bytes.
Data image_elements(const Rgba8Image& picture, const FillRequest& request);

// What is right, in one of three ways.
struct Reference {
    // The result of a step, from the inputs.
    std::function<std::vector<double>(const Scope&)> result{};
    // Or a state that begins as the result's buffer was filled and goes on step by step; `paint`
    // follows a stroke, whose values the scope has too.
    std::function<void(std::vector<double>& state, const Scope&)> advance{};
    std::function<void(std::vector<double>& state, const Scope&)> paint{};
    // Or a comparison of its own of the result's bytes.
    std::function<Check(const Scope&, std::span<const std::byte> got, double tolerance)> check{};
};

// A number of the input, computed when an experiment is prepared.
struct Computed {
    std::function<double(const Scope&)> of;
};

template <class T>
std::map<std::string, T, std::less<>>& all_named()
{
    static std::map<std::string, T, std::less<>> all;
    return all;
}

// A constant of this type, in a lab's .cpp, gives the thing its name.
template <class T>
struct Named {
    Named(std::string name, T thing) { all_named<T>().emplace(std::move(name), std::move(thing)); }
};

// Throws Error (bad_usage) that lists the names there are.
const Fill& find_fill(std::string_view name, std::string_view where);
const Reference& find_reference(std::string_view name, std::string_view where);
const Computed& find_computed(std::string_view name, std::string_view where);

} // namespace lanescope::labs
