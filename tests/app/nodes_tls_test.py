#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store behind TLS: the server's certificate is looked at, and one that nobody signed whom the
address trusts is refused in words that say what to do."""

import unittest
from pathlib import Path

from broker_process import Broker
from parley_program import parley
from postgres_cluster import Cluster

CERTIFICATES = Path(__file__).parent / "certificates"


class Tls(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = self.enterContext(Cluster())
        port = self.cluster.serve_tls(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")
        self.place = f"postgres://parley@localhost:{port}/postgres?sslmode=verify-full&sslrootcert="

    def test_a_node_works_with_a_server_whose_certificate_it_has_verified(self) -> None:
        store = f"{self.place}{CERTIFICATES / 'authority.pem'}"
        with Broker(store=store) as broker:
            status, ask = broker.call("POST", "/v1/asks", {"questions": [{"question": "Well?"}]})
            self.assertEqual(status, 201)
            answered = broker.call("POST", f"/v1/asks/{ask['id']}/answer",
                                   {"answers": [{"other": "yes"}]})
            self.assertEqual(answered[0], 200)
            encrypted = self.cluster.ask(
                "SELECT bool_and(s.ssl) FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid) "
                "WHERE a.application_name = 'parley'")
            self.assertEqual(encrypted, "t")
        checked = parley("store", "check", "--store", store)
        self.assertEqual(checked.code, 0, checked.err)

    def test_a_server_that_another_has_signed_is_refused(self) -> None:
        # The server's own certificate is nobody's authority.
        store = f"{self.place}{CERTIFICATES / 'server.pem'}"
        for words in (("serve", "--listen", "127.0.0.1:0"), ("store", "check")):
            refused = parley(*words, "--store", store)
            self.assertEqual(refused.code, 1, refused.err)
            self.assertIn("certificate verify failed", refused.err)
            self.assertIn("sslrootcert", refused.err)


if __name__ == "__main__":
    unittest.main()
