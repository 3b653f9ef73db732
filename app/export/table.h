// A table of texts with one header, printed for people (aligned), as CSV or as Markdown.
#pragma once

#include <string>
#include <vector>

#include "render/views/paint/words.h"

namespace lanescope::app {

class Table {
public:
    // A column is aligned to the right when it holds numbers.
    struct Column {
        std::string title;
        bool number = false;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // One text a column; throws std::invalid_argument otherwise.
    void add(std::vector<std::string> row);

    bool empty() const { return rows_.empty(); }
    std::string text() const;
    std::string csv() const;
    std::string markdown() const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// A number with so many significant digits and no exponent where it can be avoided: 0.0123, 1.23,
// 12300.
std::string significant(double value, int digits = 3);

using render::grouped;

} // namespace lanescope::app
