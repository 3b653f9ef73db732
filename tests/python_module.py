"""The Python module without a notebook: pictures, tables and errors equal the command line's;
a talk in Markdown and in TeX."""

import contextlib
import html
import io
import json
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "app/packaging/python"))

import lanescope
from lanescope.slides import session_in, tex

SMALL = {"size": "320x180", "device": "simt"}

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    picture = lanescope.shot("transpose/tile", map="bank_conflicts", set={"size": 65}, **SMALL)
    lanescope.run("shot", "transpose/tile", "--map", "bank_conflicts", "--set", "size=65", "--size",
                  "320x180", "--device", "simt", "-o", folder / "x.png")
    assert picture.data == (folder / "x.png").read_bytes()
    assert picture._repr_png_() == picture.data
    assert session_in(picture.data)["map"] == "bank_conflicts"

    counts = json.loads(lanescope.run("trace", "transpose/tile", "--device", "simt", "--json"))
    table = lanescope.trace("transpose/tile", device="simt")
    assert table["sectors"] == [site["sectors"] for site in counts["sites"]]
    assert "65,536" in repr(table) and "<td>65,536</td>" in table._repr_html_()
    compared = lanescope.compare("transpose/tile", "transpose/tile_padded", device="simt")
    row = next(row for row in compared if row["count"] == "shared_load.wavefronts")
    assert (row["transpose/tile"], row["transpose/tile_padded"]) == (262144, 8192), row
    assert row["ratio"] == 1 / 32

    # If the browser build exists, the page contains it; otherwise the message says how to build it.
    try:
        page = lanescope.page(picture)
        inline = page._repr_html_()
        assert inline.startswith('<iframe srcdoc="') and "Matrix transpose: Tile" in inline
        assert html.unescape(inline.split('"')[1]) == page.text and len(page.text) > 1e6
        assert lanescope.page(picture.save(folder / "p.png")).text == page.text
    except lanescope.LanescopeError as error:
        assert error.status == 3 and "app/browser.sh" in str(error), error

    try:
        lanescope.shot("transpose/no_such_variant")
        raise SystemExit("a variant that is not there was drawn")
    except lanescope.LanescopeError as error:
        assert error.status == 3 and "no_such_variant" in str(error), error

    # A course kernel gets the same verdict as from `run`, at the same line.
    courses = pathlib.Path(__file__).resolve().parent / "kernels/courses"
    rows = [row.split() for row in (courses / "verdicts.txt").read_text().splitlines()]
    rows = [row for row in rows if row and not row[0].startswith("#")]
    assert len(rows) > 60, rows
    for name, kind, *line in rows:
        said, warned = "", io.StringIO()
        with contextlib.redirect_stderr(warned):
            try:
                lanescope.trace(courses / f"{name}.cu", device="simt")
            except lanescope.LanescopeError as error:
                said = str(error)
        if kind == "right":
            assert not said, (name, said)
        elif kind in ("undefined_result", "partial_barrier"):
            assert not said and warned.getvalue(), (name, said)
        else:
            assert f"{name}.cu:{line[0]}" in said, (name, said)

    lanescope.run("slide", folder / "x.png", folder / "x.png", "-o", folder / "talk.md")
    lanescope.run("slide", folder / "x.png", "-o", folder / "talk.tex")
    talk = (folder / "talk.md").read_text()
    assert talk.count("\n---\n") == 1 and "## Matrix transpose: Tile" in talk and "(talk_2.svg)" in talk
    assert (folder / "talk_2.svg").exists() and (folder / "talk_1.pdf").exists()
    assert "{talk_1.pdf}" in (folder / "talk.tex").read_text()
    assert tex(r"50 % of a\b_{c}") == r"50 \% of a\textbackslash{}b\_\{c\}"
print("pictures, tables, mistakes and talks are as they should be")
