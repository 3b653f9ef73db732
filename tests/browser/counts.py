#!/usr/bin/python3
"""Compares counts and results of every variant of every lab between the browser build (under node) and
the desktop program: identical output, and identical memory by checksum. counts.py
PROGRAM [LAB…]; LANESCOPE_SITE names the folder of a site (`lanescope page --site`)."""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
NODE = ["node", str(HERE / "node.js")]


def output(program, *arguments):
    ended = subprocess.run([*program, *arguments], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout


def runs_in(printed):
    document = json.loads(printed)
    return document.get("runs", [])


def main():
    desktop, chosen = [sys.argv[1]], sys.argv[2:]
    differ, compared, sums = [], 0, 0
    for lab in json.loads(output(desktop, "list", "--json")[1])["labs"]:
        if chosen and lab["id"] not in chosen:
            continue
        for variant in lab["variants"]:
            name = f"{lab['id']}/{variant['id']}"
            words = ["run", name, "--device", "simt", "--steps", "2", "--json"]
            status, printed = output(desktop, *words)
            is_same = (status, printed) == output(NODE, *words)
            compared += 1
            # Variants that show a fault have no result.
            sums += sum(len(run.get("memory_crc32", {})) for run in runs_in(printed))
            if not is_same:
                differ.append(name)
                print(f"differs: {name}", flush=True)
    print(f"{compared} variants and {sums} checksums of memory compared, {len(differ)} variants differ")
    if compared == 0 or sums < compared:
        sys.exit("There is nothing to compare.")
    sys.exit(1 if differ else 0)


main()
