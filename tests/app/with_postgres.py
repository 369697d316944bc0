#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""with_postgres.py VARIABLE COMMAND…: runs a command, with the address of a PostgreSQL of its own
in that variable. Ends as the command does."""

import os
import subprocess
import sys

from postgres_cluster import Cluster

if __name__ == "__main__":
    with Cluster() as cluster:
        sys.exit(subprocess.run(sys.argv[2:],
                                env={**os.environ, sys.argv[1]: cluster.url}).returncode)
