#!/usr/bin/python3
"""Compares counts and results of every variant of every lab between the program for Windows and this
machine's: identical output, and identical memory by checksum. counts.py [--first] [LAB…]; --first takes one variant of each lab."""
import json
import sys

from both import LINUX, WINDOWS, run


def checksums(printed):
    return sum(len(one.get("memory_crc32", {})) for one in json.loads(printed).get("runs", []))


def main():
    chosen = [word for word in sys.argv[1:] if word != "--first"]
    variants = slice(0, 1 if "--first" in sys.argv else None)
    differ, compared, sums = [], 0, 0
    for lab in json.loads(run(LINUX, "list", "--json")[1])["labs"]:
        if chosen and lab["id"] not in chosen:
            continue
        for variant in lab["variants"][variants]:
            name = f"{lab['id']}/{variant['id']}"
            for words in (["run", name, "--device", "simt", "--steps", "2", "--json"],
                          ["trace", name, "--device", "simt", "--csv"]):
                status, printed, _ = run(LINUX, *words)
                ours = run(WINDOWS, *words)[:2]
                compared += 1
                if words[0] == "run":
                    sums += checksums(printed)
                if ours != (status, printed):
                    differ.append(name)
                    print(f"differs: {' '.join(words)} ({ours[0]}, not {status})", flush=True)
    print(f"{compared} outputs and {sums} checksums of memory compared, {len(differ)} differ")
    sys.exit(1 if differ or compared == 0 or 2 * sums < compared else 0)


main()
