#!/usr/bin/env python3
"""Runs a sweep of Tiebreak as tasks of HyperQueue that share one work queue.

    python3 hyperqueue_sweep.py PLAN.json --tasks 8 --out rows.csv
    python3 hyperqueue_sweep.py PLAN.json --tasks 64 --out rows.csv --server ~/.hq-server

Without --server a HyperQueue of its own runs the tasks on this machine. With it, every worker of that server must find
the program, the plan and the folder of --out under the paths given here.
"""

import argparse
import tempfile
from pathlib import Path

from hyperqueue import Client, Job, LocalCluster
from hyperqueue.cluster import WorkerConfig


def run(client, words):
    """All tasks are the same command: each takes the runs that nobody else has."""
    job = Job()
    command = [words.program, "sweep", words.plan, "--resume", "--threads", "1", "--out", words.out]
    folder = Path(words.out).parent
    for task in range(words.tasks):
        # What a task says, for instance why it refuses a plan, is in these files.
        stdout, stderr = (str(folder / f"task-{task}.{name}") for name in ("out", "err"))
        job.program(command, stdout=stdout, stderr=stderr)
    client.wait_for_jobs([client.submit(job)])


def main():
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("plan", metavar="PLAN.json")
    given.add_argument("--tasks", type=int, default=8, help="how many processes (8)")
    given.add_argument("--out", required=True, help="the file for all rows")
    given.add_argument("--program", default="tiebreak", help="the program, if it is not on PATH")
    given.add_argument("--server", help="the folder of a HyperQueue server; without it this machine")
    words = given.parse_args()
    if words.tasks < 1:
        given.error("expected at least 1 task")
    words.plan, words.out = (str(Path(path).resolve()) for path in (words.plan, words.out))
    if words.server:
        run(Client(words.server), words)
        return
    with tempfile.TemporaryDirectory() as folder, LocalCluster(folder, WorkerConfig()) as cluster:
        run(cluster.client(), words)


if __name__ == "__main__":
    main()
