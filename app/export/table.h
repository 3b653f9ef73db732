// A table of text with one header, written aligned, as CSV, as Markdown or for LaTeX.
#pragma once

#include <string>
#include <vector>

namespace lanescope::app {

class Table {
public:
    // A column of numbers is right-aligned.
    struct Column {
        std::string title;
        bool number = false;
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // One text per column; throws std::invalid_argument otherwise.
    void add(std::vector<std::string> row);

    bool empty() const { return rows_.empty(); }
    std::string text() const;
    std::string csv() const;
    std::string markdown() const;
    // A tabular environment that needs no packages.
    std::string latex() const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace lanescope::app
