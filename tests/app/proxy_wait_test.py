#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A request that waits through a proxy of docs/team.md for longer than nginx does by itself, which
takes a minute and no processor: beside other tests it costs nothing. Caddy has no such limit;
PARLEY_SLOW_PROXY=1 tries it too."""

import os
import unittest

from proxies import CaddyCase, NginxCase

LONGER_THAN_NGINX_SECONDS = 63


class Waiting:
    def test_a_request_waits_for_longer_than_a_minute(self) -> None:
        ask = self.call("POST", "/v1/asks", {"question": "Tea?", "options": ["Yes"],
                                             "timeout_seconds": LONGER_THAN_NGINX_SECONDS})
        seen = self.call("GET", f"/v1/asks/{ask['id']}?wait=600", hold=LONGER_THAN_NGINX_SECONDS)
        self.assertEqual(seen["state"], "timed_out")


class Nginx(Waiting, NginxCase):
    pass


@unittest.skipUnless(os.environ.get("PARLEY_SLOW_PROXY"), "takes another minute")
class Caddy(Waiting, CaddyCase):
    pass


if __name__ == "__main__":
    unittest.main()
