"""What notebooks show: a picture, a page that lives, and a table whose rows are plain dictionaries."""

import html
import pathlib


class Picture:
    """A PNG; `data` are its bytes."""

    def __init__(self, data):
        self.data = data

    def _repr_png_(self):
        return self.data

    def save(self, path):
        pathlib.Path(path).write_bytes(self.data)
        return path


class Page:
    """An HTML file that needs nothing else; `text` is what stands in it. A notebook shows it inline,
    wherever it is read."""

    def __init__(self, text, height):
        self.text, self.height = text, height

    def _repr_html_(self):
        return (f'<iframe srcdoc="{html.escape(self.text)}" width="100%" height="{self.height}" '
                'style="border:0" title="Lanescope" allowfullscreen></iframe>')

    def save(self, path):
        pathlib.Path(path).write_text(self.text, encoding="utf-8")
        return path


class Table:
    """Rows as dictionaries, `columns` in the order in which they are shown. `totals` and `raw` hold
    what the program printed, where the table is a trace's."""

    def __init__(self, columns, rows, title="", totals=None, raw=None):
        self.columns, self.rows, self.title = columns, rows, title
        self.totals, self.raw = totals, raw

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, index):
        """A row by its number, a column by its name."""
        return [row[index] for row in self.rows] if isinstance(index, str) else self.rows[index]

    def to_pandas(self):
        import pandas
        return pandas.DataFrame(self.rows, columns=self.columns)

    def __repr__(self):
        cells = [self.columns] + [[as_text(row[name]) for name in self.columns] for row in self.rows]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip()
                 for row in cells]
        return "\n".join(([self.title] if self.title else []) + lines)

    def _repr_html_(self):
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(as_text(row[name]))}</td>"
                                        for name in self.columns) + "</tr>" for row in self.rows)
        title = f"<caption>{html.escape(self.title)}</caption>" if self.title else ""
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    @classmethod
    def of_trace(cls, trace):
        described = ("file", "line", "ptx", "space", "op", "width", "lanes")
        counts = [name for name in (trace["sites"] or [{}])[0] if name not in described]
        columns = ["line", "access", *counts, "ptx"]
        rows = []
        for site in trace["sites"]:
            access = site["op"] if site["space"] == "none" else (
                f"{site['space']} {site['op']} {site['width']} B")
            rows.append({**site, "line": f"{site['file'].rsplit('/', 1)[-1]}:{site['line']}",
                         "access": access})
        grid, block = ("×".join(map(str, trace[name])) for name in ("grid", "block"))
        title = f"{trace['kernel']} on {trace['engine']}, grid {grid}, block {block}"
        return cls(columns, rows, title, trace["totals"], trace)

    @classmethod
    def of_totals(cls, a, b, totals_a, totals_b):
        rows = []
        for (name, first), (_, second) in zip(flat(totals_a), flat(totals_b)):
            if first or second:
                rows.append({"count": name, a: first, b: second,
                             "ratio": second / first if first else None})
        return cls(["count", a, b, "ratio"], rows, f"{b} beside {a}")


def flat(totals):
    for name, value in totals.items():
        if isinstance(value, dict):
            yield from ((f"{name}.{inner}", count) for inner, count in value.items())
        else:
            yield name, value


def as_text(value):
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}×"
    return f"{value:,}" if isinstance(value, int) else str(value)
