#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A broker that a service manager starts: on sockets that were opened before it, and with word that
it is ready."""

import json
import os
import socket
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path

from broker_process import SocketConnection
from parley_program import PATIENCE_SECONDS, PROGRAM, environment

FIRST_HANDED = 3
# Becomes the broker, as LISTEN_PID must name the very process.
BECOME = 'LISTEN_PID=$$ LISTEN_FDS="$1" exec "${@:2}"'


def listening(address: object, family: socket.AddressFamily) -> socket.socket:
    made = socket.socket(family, socket.SOCK_STREAM)
    made.bind(address)
    made.listen()
    return made


class ServiceTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, sockets: list[socket.socket], *options: str, **changes: str
              ) -> subprocess.Popen:
        """The program with these at the descriptors that the protocol names."""
        def hand_over() -> None:
            kept = [os.dup2(each.fileno(), 100 + i) for i, each in enumerate(sockets)]
            for i, descriptor in enumerate(kept):
                os.dup2(descriptor, FIRST_HANDED + i, inheritable=True)

        process = subprocess.Popen(
            ["bash", "-c", BECOME, "bash", str(len(sockets)), PROGRAM, "serve", "--json",
             "--store", "memory:", "--token-file", f"{self.folder}/token", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, close_fds=False,
            preexec_fn=hand_over,
            env=environment({"XDG_RUNTIME_DIR": str(self.folder), "HOME": str(self.folder),
                             **changes}))
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_serves_on_sockets_that_were_opened_for_it(self) -> None:
        path = str(self.folder / "handed.sock")
        tcp = listening(("127.0.0.1", 0), socket.AF_INET)
        local = listening(path, socket.AF_UNIX)
        self.addCleanup(tcp.close)
        self.addCleanup(local.close)
        # It would refuse this address by itself.
        process = self.start([tcp, local], "--listen", "192.0.2.1:1")
        ready = json.loads(process.stdout.readline())
        self.assertEqual(ready["url"], f"http://127.0.0.1:{tcp.getsockname()[1]}")
        self.assertEqual(ready["socket"], path)
        with urllib.request.urlopen(ready["url"] + "/readyz", timeout=PATIENCE_SECONDS) as reply:
            self.assertEqual(reply.status, 200)
        connection = SocketConnection(path)
        connection.request("GET", "/v1/asks")
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()
        process.terminate()
        self.assertEqual(process.wait(PATIENCE_SECONDS), 0)
        self.assertTrue(Path(path).exists(), "the socket is not its own")

    def test_holds_a_handed_socket_to_the_rule_of_addresses(self) -> None:
        everywhere = listening(("0.0.0.0", 0), socket.AF_INET)
        self.addCleanup(everywhere.close)
        process = self.start([everywhere])
        _, words = process.communicate(timeout=PATIENCE_SECONDS)
        self.assertEqual(process.returncode, 2)
        self.assertIn("--tls-cert", words)

    def test_refuses_what_it_cannot_serve(self) -> None:
        first = listening(("127.0.0.1", 0), socket.AF_INET)
        second = listening(("127.0.0.1", 0), socket.AF_INET)
        self.addCleanup(first.close)
        self.addCleanup(second.close)
        process = self.start([first, second])
        _, words = process.communicate(timeout=PATIENCE_SECONDS)
        self.assertEqual(process.returncode, 2)
        self.assertIn("two TCP sockets", words)

    def test_says_when_it_is_ready(self) -> None:
        for address in (str(self.folder / "notify"), f"\0parley-test-{os.getpid()}"):
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.bind(address)
                manager.settimeout(PATIENCE_SECONDS)
                process = self.start([], "--listen", "127.0.0.1:0",
                                     NOTIFY_SOCKET=address.replace("\0", "@"))
                self.assertEqual(manager.recv(100), b"READY=1")
                self.assertIn("ready", process.stdout.readline())
                process.terminate()
                process.wait(PATIENCE_SECONDS)


if __name__ == "__main__":
    unittest.main()
