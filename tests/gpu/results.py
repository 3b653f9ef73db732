#!/usr/bin/env python3
"""Writes the manual's page of results (assets/manual/results.md) from tests/gpu/results.jsonl, which has one measurement
per line. With --check it writes nothing, and exits with 1 if the page is stale or a line is malformed."""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEASUREMENTS = ROOT / "tests/gpu/results.jsonl"
PAGE = ROOT / "assets/manual/results.md"
FIELDS = ["section", "what", "value", "unit", "device", "driver", "date", "commit", "command"]
HEAD = """# Results

What was measured, on which machine and when: the latest measurement of each kind. `tests/gpu/results.py` generates this
page from `tests/gpu/results.jsonl` of the source tree, which also has the driver, the commit and the command of each
measurement.

H100 is an NVIDIA H100 80GB HBM3, H200 an NVIDIA H200, both with driver 580.159.04 and CUDA 13.0; "2 cores" is a virtual
machine without a GPU. "Simulator" is the lockstep machine on the processor, "probes" is counting code in the kernel on a
GPU, "hardware" is the GPU's own counters. "As assembled" counts the accesses of the GPU's machine code instead of the
PTX's. c44d23d is the program of 2026-11-23, run in turn with the one that was measured. Kernels are compiled to PTX for
`compute_75` and by the driver for the chip; times are CUDA events, medians, with NVIDIA's libraries in the same run.

[Where a GPU departs from the manual](differences.md) explains the differences.
"""


def malformed(message):
    sys.exit(f"{MEASUREMENTS.relative_to(ROOT)}: {message}")


def measurements():
    rows = []
    for number, line in enumerate(MEASUREMENTS.read_text().splitlines(), 1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            malformed(f"line {number} is not JSON: {error}. Write one object per line.")
        missing = [field for field in FIELDS if field not in row]
        unknown = [field for field in row if field not in FIELDS + ["note"]]
        if missing or unknown:
            malformed(f"line {number} lacks {missing} and has unknown {unknown}. tests/README.md lists the fields.")
        rows.append(row)
    if not rows:
        malformed("there is no measurement.")
    return rows


def number(value):
    return f"{value:,}" if isinstance(value, int) else str(value)


def value_text(row):
    value = row["value"]
    if isinstance(value, dict):
        text = "; ".join(f"{name} {number(one)}" for name, one in value.items())
    elif isinstance(value, list):
        text = " / ".join(map(number, value))
    else:
        text = number(value)
    return f"{text} {row['unit']}" if row["unit"] else text


# Short names of devices, as used on the page.
SHORT = {"NVIDIA H100 80GB HBM3": "H100", "NVIDIA H200": "H200", "CPU: virtual machine, 2 cores, no GPU": "2 cores",
         "CPU: host of the H100, 16 cores": "16 cores", "2 × NVIDIA H200, peer access": "2 × H200",
         "NVIDIA H100 80GB HBM3, NVIDIA H200": "H100, H200"}


def cell(text):
    return text.replace("|", "\\|")


def page(rows):
    text = HEAD
    for section in dict.fromkeys(row["section"] for row in rows):
        text += f"\n## {section}\n\n| what | result | device, date | note |\n|---|---|---|---|\n"
        for row in (row for row in rows if row["section"] == section):
            cells = [row["what"], value_text(row), f"{SHORT.get(row['device'], row['device'])}, {row['date'] or '?'}",
                     row.get("note", "")]
            text += f"| {' | '.join(map(cell, cells))} |\n"
    return text


def main():
    text = page(measurements())
    if "--check" not in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit(f"{PAGE.relative_to(ROOT)} is stale: run tests/gpu/results.py.")


if __name__ == "__main__":
    main()
