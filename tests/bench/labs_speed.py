#!/usr/bin/env python3
"""Alternates two builds of labs_bench, lab by lab, and prints the speedup of the second one.

  labs_speed.py BEFORE NOW [--rounds N] [--seconds S] [--only LAB[/VARIANT]] [--plain] [--json FILE]

Each variant that both builds have is measured by both in every round, in alternating order; the minimum over all rounds
counts. If the number of warp instructions per step has changed, the kernel itself differs, and the row says so. Exits
with 1 if a variant is slower now.
"""
import argparse
import json
import statistics
import subprocess
import sys


def measured(program, options, target):
    text = subprocess.run([program, '--seconds', str(options.seconds), target], capture_output=True, text=True,
                          check=True).stdout
    return {row['variant']: row for row in map(json.loads, text.splitlines())}


def listed(program):
    return subprocess.run([program, '--list'], capture_output=True, text=True, check=True).stdout.split()


def least(rows, way):
    times = [row[way]['least'] for row in rows if way in row]
    return min(times) if times else None


def chosen(names, only):
    return [name for name in names if not only or name in only or name.split('/')[0] in only]


def compare(options):
    programs = (options.before, options.now)
    both = [chosen(listed(program), options.only) for program in programs]
    for missing, names in ((set(both[1]) - set(both[0]), 'before'), (set(both[0]) - set(both[1]), 'now')):
        if missing:
            print(f'not there {names}:', ', '.join(sorted(missing)))
    names = [name for name in both[1] if name in set(both[0])]
    rows = {name: ([], []) for name in names}
    for turn in range(options.rounds):
        for lab in dict.fromkeys(name.split('/')[0] for name in names):
            for which in ((0, 1) if turn % 2 == 0 else (1, 0)):
                targets = [name for name in names if name.split('/')[0] == lab]
                target = lab if not options.only or lab in options.only else None
                for one in [target] if target else targets:
                    for variant, row in measured(programs[which], options, one).items():
                        if f'{lab}/{variant}' in rows:
                            rows[f'{lab}/{variant}'][which].append(row)
        print(f'round {turn + 1} of {options.rounds} is done', file=sys.stderr, flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('before')
    parser.add_argument('now')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=0.15, help='for each variant in a round')
    parser.add_argument('--only', nargs='+', default=[])
    parser.add_argument('--plain', action='store_true', help='judge steps that nobody counts')
    parser.add_argument('--json', help='write all rows there')
    options = parser.parse_args()
    way = 'plain_ms' if options.plain else 'counted_ms'
    ratios = {}
    everything = compare(options)
    for name, (before, now) in everything.items():
        a, b = least(before, way), least(now, way)
        if a is None or b is None:
            row = (now + before)[0]
            print(f'{name:44} {"ends in its fault" if row.get("faults") else row.get("error", "not measured")}')
            continue
        ratios[name] = a / b
        other = before[0]['warp_instructions'] != now[0]['warp_instructions']
        print(f'{name:44} {a:10.3f} ms {b:10.3f} ms {a / b:6.2f}'
              + (f'  another kernel: {before[0]["warp_instructions"]:,} and {now[0]["warp_instructions"]:,} '
                 'warp instructions' if other else ''))
    if options.json:
        with open(options.json, 'w', encoding='utf-8') as file:
            json.dump(everything, file)
    slower = {name: ratio for name, ratio in ratios.items() if ratio < 1}
    print(f'{len(ratios)} variants, {"plain" if options.plain else "counted"}: median '
          f'{statistics.median(ratios.values()):.2f}, least {min(ratios.values()):.2f}, most {max(ratios.values()):.2f}; '
          f'{len(slower)} slower than before' + (': ' + ', '.join(slower) if slower else ''))
    return 1 if slower else 0


if __name__ == '__main__':
    sys.exit(main())
