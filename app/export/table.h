// A table of texts with one header, printed for people (aligned), as CSV, as Markdown or for LaTeX.
#pragma once

#include <string>
#include <vector>

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
    // A tabular, without packages.
    std::string latex() const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace lanescope::app
