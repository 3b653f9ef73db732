"""A launch's results as objects that notebooks show: the array's picture, the source with its
counts, findings, and text of `step` and `why`."""

import base64
import html

from .errors import LanescopeError
from .launches import short_name
from .tables import Table


class Result:
    """The outcome of one launch: `findings`, `printf`, and `arrays` keyed by parameter name."""

    def __init__(self, launch, trace, draw):
        self.launch, self.raw, self._draw, self._drawn = launch, trace, draw, {}
        self.findings = trace.get("faults", [])
        self.printf = trace.get("printf", "")
        self.arrays = {buffer.name: buffer.array for buffer in launch.buffers if buffer.name != "scratch"}

    def picture(self, **options):
        """The last array that Python may write to, as `shot` draws it; map="sectors" lays counts over it."""
        key = tuple(sorted((name, str(value)) for name, value in options.items()))
        if key not in self._drawn:
            self._drawn[key] = self._draw(self.launch, **options)
        return self._drawn[key]

    def _repr_png_(self):
        try:
            return self.picture().data
        except LanescopeError:  # no picture can be drawn here
            return None

    def __repr__(self):
        lines = [finding["message"] for finding in self.findings]
        shapes = ", ".join(f"{name} {array.dtype}{list(array.shape)}" for name, array in self.arrays.items())
        return "\n".join(lines + [f"{self.raw['totals']['warp_instructions']:,} warp instructions; {shapes}"])


class Trace(Result, Table):
    """The counts of a launch: a Table whose rows are sites, and a Result."""

    def __init__(self, launch, trace, draw):
        table = Table.of_trace(trace | {"kernel": short_name(trace["kernel"])})
        Table.__init__(self, table.columns, table.rows, table.title, table.totals, trace)
        Result.__init__(self, launch, trace, draw)

    def __repr__(self):
        return "\n".join([finding["message"] for finding in self.findings] + [Table.__repr__(self)])

    def source(self):
        """The kernel's lines with their counts, as HTML."""
        launch = self.launch
        first, last = launch.lines or (1, None)
        text = "\n".join((launch.source or launch.ptx).splitlines()[first - 1:last])
        return source_with_counts(text, self.raw, first, launch.source_name)

    def _repr_html_(self):
        parts = [f"<p><b>{html.escape(finding['kind'])}</b>: {html.escape(finding['message'])}</p>"
                 for finding in self.findings]
        parts.append(self.source())
        for options in ({}, {"map": "sectors"}):
            try:
                data = base64.b64encode(self.picture(**options).data).decode()
            except LanescopeError as error:  # counts are shown, even where no picture can be drawn
                parts.append(f"<p>{html.escape(str(error))}</p>")
                break
            title = "sectors per warp" if options else "result"
            parts.append(f'<img src="data:image/png;base64,{data}" alt="{title}" title="{title}" '
                         'style="max-width:49%">')
        return "".join(parts)


class Text(str):
    """Text that a notebook shows with its lines."""

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return f"<pre>{html.escape(self)}</pre>"


def source_with_counts(text, trace, first=1, name=None):
    """The lines from `first` on, each with its counts; lines with faults are highlighted. `name` selects the file,
    if the counts cover several."""
    by_line = {}
    for site in trace.get("sites", []):
        if name is not None and site["file"].rsplit("/", 1)[-1] != name:
            continue
        counts = by_line.setdefault(site["line"], {"executions": 0, "sectors": 0, "ideal": 0,
                                                   "wavefronts": 0, "divergent": 0})
        counts["executions"] = max(counts["executions"], site["executions"])
        counts["sectors"] += site["sectors"]
        counts["ideal"] += site["ideal_sectors"]
        counts["divergent"] += site["divergent"]
        if site["space"] == "shared":
            counts["wavefronts"] += site["wavefronts"]
    bad = {fault.get("line") for fault in trace.get("faults", [])}
    rows = []
    for number, line in enumerate(text.splitlines(), first):
        counts = by_line.get(number)
        cells = ["", "", "", ""]
        if counts:
            sectors = f"{counts['sectors']:,} / {counts['ideal']:,}" if counts["sectors"] else ""
            cells = [f"{counts['executions']:,}", sectors,
                     f"{counts['wavefronts']:,}" if counts["wavefronts"] else "",
                     f"{counts['divergent']:,}" if counts["divergent"] else ""]
        mark = ' style="background:#d5500033"' if number in bad else ""
        rows.append(f"<tr{mark}><td>{number}</td><td style='text-align:left'><pre style='margin:0'>"
                    f"{html.escape(line)}</pre></td>" +
                    "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = ("<tr><th></th><th style='text-align:left'>kernel</th><th>warps</th>"
            "<th>sectors / ideal</th><th>wavefronts</th><th>divergent</th></tr>")
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
