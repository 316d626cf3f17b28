#!/usr/bin/env python3
"""Runs a sweep of Tiebreak in shards through Dask, and puts them together again.

    python3 dask_sweep.py PLAN.json --shards 8 --out all.csv
    python3 dask_sweep.py PLAN.json --shards 64 --out all.csv --scheduler tcp://head:8786

Without --scheduler the shards run on this machine. With it, every worker must find the program and the
plan under the paths given here; the rows come back through Dask, so nothing else has to be shared.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from dask.distributed import Client


def tiebreak(program, *words):
    """What the program prints; its own sentence where it refuses."""
    done = subprocess.run([program, *words], capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def one_shard(program, plan, shard):
    """The rows of one shard. A shard is one thread: there are as many as Dask has room for."""
    return tiebreak(program, "sweep", plan, "--shard", shard, "--threads", "1")


def merged(program, plan, shards, out):
    """Puts the rows of all shards together; the program says so where one is missing."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{number}.csv") for number, _ in enumerate(shards)]
        for file, rows in zip(files, shards):
            file.write_bytes(rows)
        return tiebreak(program, "sweep", plan, *map(str, files), "--merge", "--out", out)


def main():
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("plan", metavar="PLAN.json")
    given.add_argument("--shards", type=int, default=8, help="into how many parts (8)")
    given.add_argument("--out", required=True, help="the file for all rows")
    given.add_argument("--program", default="tiebreak", help="the program, if it is not on PATH")
    given.add_argument("--scheduler", help="the address of a Dask scheduler; without it this machine")
    words = given.parse_args()
    if words.shards < 1:
        given.error("expected at least 1 shard")
    # Workers on this machine are threads: what is heavy is a program of its own.
    here = {"processes": False, "dashboard_address": None}
    with Client(words.scheduler) if words.scheduler else Client(**here) as client:
        names = [f"{part}/{words.shards}" for part in range(1, words.shards + 1)]
        futures = client.map(lambda shard: one_shard(words.program, words.plan, shard), names)
        shards = client.gather(futures)
    sys.stdout.buffer.write(merged(words.program, words.plan, shards, words.out))


if __name__ == "__main__":
    main()
