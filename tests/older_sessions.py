#!/usr/bin/env python3
"""Does work saved by an older program open in this one, with the same counts?

  older_sessions.py OLDER NOW [--sessions N] [--out DIR]

Both are `lanescope` programs. The older one draws N labs (10), each with another variant, map and step: the picture
contains its session, which NOW must open both as a picture and as JSON, at the same lab, variant, parameters and step. A
script of the older window is replayed, and its last session (from a separate home folder) is offered. Then both count
every variant that both have (`trace --json`): totals under the names of the older program. Exits with 1 if a session
does not open; totals that differ are listed, since kernels may have changed.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import zlib


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def session_of(picture):
    """The JSON in a text chunk of a PNG written by the program."""
    with open(picture, 'rb') as file:
        data = file.read()
    at = 8
    while at < len(data):
        size = int.from_bytes(data[at:at + 4], 'big')
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + size]
        at += 12 + size
        if kind == b'iTXt':
            keyword, rest = body.split(b'\0', 1)
            text = rest[2:].split(b'\0', 2)[2]
            text = zlib.decompress(text) if rest[0] else text
        elif kind == b'zTXt':
            keyword, rest = body.split(b'\0', 1)
            text = zlib.decompress(rest[1:])
        elif kind == b'tEXt':
            keyword, text = body.split(b'\0', 1)
        else:
            continue
        if text.lstrip().startswith(b'{'):
            return text.decode()
    return None


def labs_of(program):
    return {lab['id']: [variant['id'] for variant in lab['variants']]
            for lab in json.loads(run([program, 'list', '--json']).stdout)['labs']}


def open_sessions(older, now, chosen, out):
    failed = 0
    maps = ['off', 'sectors', 'active_lanes', 'instructions', 'sector_excess', 'wavefronts']
    for i, (lab, variant) in enumerate(chosen):
        picture, again = f'{out}/{lab}.png', f'{out}/{lab}_now.png'
        made = run([older, 'shot', f'{lab}/{variant}', '--device', 'simt', '--steps', str(2 + 3 * i), '--map',
                    maps[i % len(maps)], '-o', picture])
        if made.returncode != 0:
            print(f'{lab}/{variant}: the older program does not draw it: {made.stderr.strip()}')
            continue
        text = session_of(picture)
        file = f'{out}/{lab}.json'
        with open(file, 'w') as session:
            session.write(text)
        problems = []
        for source in (picture, file):
            opened = run([now, 'shot', '--device', 'simt', '--session', source, '-o', again])
            if opened.returncode != 0:
                problems.append(f'{os.path.basename(source)}: {opened.stderr.strip()}')
                continue
            before, after = json.loads(text), json.loads(session_of(again))
            for key in ('lab', 'variant', 'parameters', 'step', 'steps', 'frame', 'seed', 'map'):
                if key in before and before[key] != after.get(key):
                    problems.append(f'{key}: {before[key]} then, {after.get(key)} now')
        failed += bool(problems)
        print(f'{lab}/{variant}:', '; '.join(problems) if problems else 'opens, as a picture and as JSON')
    return failed


def in_a_window(program, arguments, home):
    environment = dict(os.environ, HOME=home, XDG_CONFIG_HOME=f'{home}/config', XDG_STATE_HOME=f'{home}/state',
                       XDG_DATA_HOME=f'{home}/data', XDG_CACHE_HOME=f'{home}/cache')
    return run(['xvfb-run', '-a', '-s', '-screen 0 1280x720x24', program, '--device', 'simt', *arguments],
               env=environment)


def last_of_window(older, now, out):
    """A script written by the older window, and the session that it saved last."""
    home = f'{out}/home'
    os.makedirs(home, exist_ok=True)
    script, report = f'{out}/older.script', f'{out}/report.json'
    in_a_window(older, ['--lab', 'transpose', '--variant', 'naive', '--write-script', script, '--exit-after', '4'],
                home)
    failed = 0
    for what, arguments in (('script', ['--script', script]), ('last session', [])):
        if what == 'script' and not os.path.exists(script):
            print('script: the older window wrote none')
            failed += 1
            continue
        opened = in_a_window(now, [*arguments, '--report', report, '--exit-after', '4'], home)
        shown = json.load(open(report)) if os.path.exists(report) else {}
        state = shown.get('state', shown)
        fine = opened.returncode == 0 and not state.get('errors')
        failed += not fine
        print(f'{what}:', 'opens' if fine else f'status {opened.returncode}: {opened.stderr.strip()}',
              {key: state[key] for key in ('lab', 'variant', 'step') if key in state})
        if os.path.exists(report):
            os.remove(report)
    return failed


def differences(before, after, path=''):
    """Totals of the older program whose value differs in the newer one."""
    found = []
    for key, value in before.items():
        if isinstance(value, dict):
            found += differences(value, after.get(key, {}) if isinstance(after, dict) else {}, f'{path}{key}.')
        elif after.get(key) != value:
            found.append(f'{path}{key} {value} and {after.get(key)}')
    return found


def compare_totals(older, now, labs):
    same, other, faults = 0, [], 0
    for lab, variants in labs.items():
        for variant in variants:
            rows = []
            for program in (older, now):
                done = run([program, 'trace', f'{lab}/{variant}', '--device', 'simt', '--json'])
                try:
                    rows.append((done.returncode, json.loads(done.stdout).get('totals')))
                except json.JSONDecodeError:
                    rows.append((done.returncode, None))
            (before_rc, before), (after_rc, after) = rows
            if before_rc == 5 and after_rc == 5:
                faults += 1
            elif before is None or after is None or before_rc != after_rc:
                other.append(f'{lab}/{variant}: status {before_rc} and {after_rc}')
            elif unlike := differences(before, after):
                other.append(f'{lab}/{variant}: ' + ', '.join(unlike[:3]))
            else:
                same += 1
    print(f'{same} variants have the same totals, {faults} fault as they did, {len(other)} differ')
    for line in other:
        print(' ', line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('older')
    parser.add_argument('now')
    parser.add_argument('--sessions', type=int, default=10)
    parser.add_argument('--out')
    options = parser.parse_args()
    out = options.out or tempfile.mkdtemp(prefix='older-sessions-')
    os.makedirs(out, exist_ok=True)
    older, now = labs_of(options.older), labs_of(options.now)
    both = {lab: [variant for variant in variants if variant in now.get(lab, [])] for lab, variants in older.items()}
    chosen = [(lab, variants[i % len(variants)]) for i, (lab, variants) in
              enumerate((lab, variants) for lab, variants in both.items() if variants)]
    failed = open_sessions(options.older, options.now, chosen[:options.sessions], out)
    failed += last_of_window(options.older, options.now, out)
    compare_totals(options.older, options.now, both)
    print(f'{failed} did not open')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
