#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""with_postgres.py VARIABLE COMMAND…: runs a command, with the address of a PostgreSQL of its own
in that variable, and in PARLEY_POSTGRES_KEEPER the process that kills the server when it is sent
SIGUSR1 and starts it again at SIGUSR2. Ends as the command does."""

import os
import signal
import subprocess
import sys

from postgres_cluster import Cluster

if __name__ == "__main__":
    with Cluster() as cluster:
        signal.signal(signal.SIGUSR1, lambda *_: cluster.kill())
        signal.signal(signal.SIGUSR2, lambda *_: cluster.start())
        sys.exit(subprocess.run(sys.argv[2:], env={
            **os.environ, sys.argv[1]: cluster.url, "PARLEY_POSTGRES_KEEPER": str(os.getpid()),
        }).returncode)
