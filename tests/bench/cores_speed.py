#!/usr/bin/env python3
"""Speedup of simt_bench on n cores, compared with the speedup that this machine allows.

  cores_speed.py SIMT_BENCH [--rounds N] [--only REGEX] [--json FILE]

For every benchmark with a number of cores: the time of one launch on n cores, and the time of n simultaneous processes,
each with its own core and launch, both relative to one process on an otherwise idle machine. The second ratio falls short
of n because of shared cores, clock rates and memory bandwidth; the simulator's own efficiency is the first ratio divided
by the second. Prints medians of the rounds.
"""
import argparse
import json
import os
import re
import statistics
import subprocess


def started(program, name, cpus, seconds):
    return subprocess.Popen(['taskset', '-c', ','.join(map(str, cpus)), program, f'--benchmark_filter=^{name}$',
                             f'--benchmark_min_time={seconds}', '--benchmark_format=json'],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def speed(process):
    """The benchmark's own rate if it has one, because some do more work on more cores; otherwise launches per second."""
    row = json.loads(process.communicate()[0])['benchmarks'][0]
    rates = [value for key, value in row.items() if key.endswith('_per_s')]
    return rates[0] if rates else 1 / (row['real_time'] * {'ns': 1e-9, 'us': 1e-6, 'ms': 1e-3, 's': 1}[row['time_unit']])


def benchmarks(program, only):
    text = subprocess.run([program, '--benchmark_list_tests'], capture_output=True, text=True, check=True).stdout
    families = {}
    for name in text.split():
        cores = re.search(r'/cores:(\d+)', name)
        if cores and re.search(only, name):
            families.setdefault(name.replace(cores.group(0), '/cores:{}'), []).append(int(cores.group(1)))
    return {family: sorted(counts) for family, counts in families.items() if len(counts) > 1}


def threads_of_cores(cpus):
    """Hardware threads, the first of every core before any second one, as far as the system reports them."""
    def turn(cpu):
        try:
            with open(f'/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list') as file:
                first, *rest = re.findall(r'\d+', file.read())
        except OSError:
            return 0
        return 0 if int(first) == cpu else 1
    return sorted(cpus, key=lambda cpu: (turn(cpu), cpu))


def measure(program, family, counts, options):
    cpus = threads_of_cores(os.sched_getaffinity(0))
    rows = {n: ([], []) for n in counts}
    for _ in range(options.rounds):
        one = speed(started(program, family.format(1), cpus[:1], options.seconds))
        for n in counts:
            chosen = cpus[:n]
            rows[n][0].append(speed(started(program, family.format(n), chosen, options.seconds)) / one)
            beside = [started(program, family.format(1), [cpu], options.seconds) for cpu in chosen]
            rows[n][1].append(sum(speed(each) for each in beside) / one)
    return {n: [statistics.median(ways) for ways in rows[n]] for n in counts if n > 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=0.5, help='that a benchmark runs')
    parser.add_argument('--only', default='')
    parser.add_argument('--json')
    options = parser.parse_args()
    print(f'{"cores over one: a launch / as many processes / share":58}')
    cpus = threads_of_cores(os.sched_getaffinity(0))
    print('processors in the order in which they are taken:', *cpus)
    found = {}
    for family, counts in benchmarks(options.program, options.only).items():
        found[family] = measure(options.program, family, counts, options)
        cells = [f'{n}: {launch:.2f} / {beside:.2f} / {launch / beside:.2f}'
                 for n, (launch, beside) in found[family].items()]
        print(f'{family:58}', '   '.join(cells), flush=True)
    if options.json:
        with open(options.json, 'w') as file:
            json.dump(found, file, indent=1)


if __name__ == '__main__':
    main()
