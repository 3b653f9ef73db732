#!/usr/bin/python3
"""Counts and results of every variant of every lab, by the program built for browsers (under node) and
by the desktop's: the same bytes. counts.py PROGRAM [LAB…]; LANESCOPE_SITE names the folder of a
site (`lanescope page --site`)."""
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
NODE = ["node", str(HERE / "node.js")]


def output(program, *arguments):
    ended = subprocess.run([*program, *arguments], capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout


def main():
    desktop, chosen = [sys.argv[1]], sys.argv[2:]
    differ, compared = [], 0
    for lab in json.loads(output(desktop, "list", "--json")[1])["labs"]:
        if chosen and lab["id"] not in chosen:
            continue
        for variant in lab["variants"]:
            name = f"{lab['id']}/{variant['id']}"
            words = ["run", name, "--device", "simt", "--steps", "2", "--json"]
            is_same = output(desktop, *words) == output(NODE, *words)
            compared += 1
            if not is_same:
                differ.append(name)
                print(f"differs: {name}", flush=True)
    print(f"{compared} variants compared, {len(differ)} differ")
    if compared == 0:
        sys.exit("There is nothing to compare.")
    sys.exit(1 if differ else 0)


main()
