"""Compares an executed example.ipynb with the command line's output: the picture byte for byte, the
counts number by number, and the fault as a message."""

import base64
import json
import pathlib
import sys
import tempfile

import lanescope


def of_kind(cell, kind):
    return ["".join(text) for output in cell["outputs"]
            for text in [output.get("data", {}).get(kind)] if text]


cells = json.loads(pathlib.Path(sys.argv[1]).read_text())["cells"]
assert len(cells) == 6, f"{len(cells)} cells instead of 6"
assert not any(output["output_type"] == "error" for cell in cells for output in cell["outputs"])

good, bad, picture, trace, compared = cells[1:]
page = "".join(of_kind(good, "text/html"))
assert "data[i] = 2.0f * data[i];" in page and "64 / 64" in page, page
assert of_kind(good, "image/svg+xml"), "the buffer is not drawn"
sentence = "".join(of_kind(bad, "text/html"))
assert "out_of_bounds" in sentence and "800 bytes" in sentence and "cell.cu:5" in sentence, sentence

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "x.png"
    lanescope.run("shot", "transpose/tile", "--map", "bank_conflicts", "--size", "640x360", "-o", path)
    shown = base64.b64decode(of_kind(picture, "image/png")[0])
    assert shown == path.read_bytes(), "the picture is not the command line's"

sites = json.loads(lanescope.run("trace", "transpose/tile", "--json"))["sites"]
page = of_kind(trace, "text/html")[0]
assert page.count("<tr>") == len(sites) + 1
for site in sites:
    assert f"<td>{site['sectors']:,}</td>" in page and f"<td>{site['wavefronts']:,}</td>" in page
assert "shared_load.wavefronts" in of_kind(compared, "text/html")[0]
print(f"6 cells: the picture's {len(shown)} bytes and {len(sites)} sites are the command line's.")
