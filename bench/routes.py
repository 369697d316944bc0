# SPDX-License-Identifier: Apache-2.0
"""Every route of the broker, and what is the worst that can be asked of it. A route that is new is
in none of these lists, and the bench says so before it starts: tests/app/routes_bench_test.py."""

from pathlib import Path
from typing import Iterable, Iterator

TABLE = Path(__file__).resolve().parent.parent / "docs/doors/access.md"

# What it does grows with what the broker holds: asked plainly, of a full one.
GROWS = frozenset((
    "GET /api/chat/{id}/stream", "GET /api/event", "GET /api/question/request",
    "GET /api/session/{sessionID}/question", "GET /event", "GET /experimental/session",
    "GET /global/event", "GET /metrics", "GET /permission", "GET /question", "GET /session",
    "GET /session/status", "GET /session/{sessionID}", "GET /session/{sessionID}/children",
    "GET /session/{sessionID}/message", "GET /session/{sessionID}/message/{messageID}",
    "GET /v1/asks", "GET /v1/asks/{id}", "GET /v1/asks/{id}/draft", "GET /v1/drafts",
    "GET /v1/events", "GET /v1/self", "GET /v1/sessions", "GET /v1/sessions/{id}",
    "GET /v1/sessions/{id}/events", "GET /v1/sessions/{id}/messages", "GET /v1/tokens"))

# Only its body can be large.
READS = frozenset((
    "PATCH /session/{sessionID}", "POST /permission/{requestID}/reply",
    "POST /question/{requestID}/reject", "POST /session",
    "POST /api/session/{sessionID}/question/{requestID}/reject",
    "POST /session/{sessionID}/permissions/{permissionID}", "POST /sign-in",
    "POST /sign-in/links", "POST /sign-out", "POST /v1/asks/{id}/dismiss",
    "POST /v1/asks/{id}/snooze", "POST /v1/asks/{id}/withdraw", "POST /v1/notices",
    "POST /v1/self/name", "POST /v1/sessions", "POST /v1/sessions/{id}/messages/taken",
    "POST /v1/store/prune", "POST /v1/tokens", "POST /v1/tokens/{name}/rotate"))

# Says the same to everybody, or little.
SMALL = frozenset((
    "DELETE /mcp", "DELETE /v1/asks/{id}/content", "DELETE /v1/asks/{id}/draft",
    "DELETE /v1/store/copies/{id}",
    "DELETE /v1/tokens/{name}", "GET /", "GET /agent",
    "GET /api/health", "GET /app.css", "GET /app.js", "GET /apple-touch-icon.png", "GET /command",
    "GET /config", "GET /config/providers", "GET /doc", "GET /experimental/capabilities",
    "GET /experimental/console", "GET /experimental/resource", "GET /experimental/tool",
    "GET /experimental/tool/ids", "GET /experimental/workspace",
    "GET /experimental/workspace/status", "GET /formatter", "GET /global/health", "GET /healthz",
    "GET /icon-192.png", "GET /icon-512.png", "GET /icon-maskable.png", "GET /icon.svg",
    "GET /lsp", "GET /manifest.webmanifest", "GET /mcp", "GET /path", "GET /project/current",
    "GET /provider", "GET /provider/auth", "GET /readyz", "GET /session/{sessionID}/diff",
    "GET /session/{sessionID}/todo", "GET /sign-in", "GET /sw.js", "GET /v1/openapi.json",
    "GET /v1/server", "GET /v1/store", "GET /v1/store/copies/{id}",
    "GET /v1/store/copies/{id}/data", "GET /vcs", "POST /v1/store/copies"))


def routes() -> Iterator[tuple[str, str, str]]:
    """Method, pattern, and the weakest role that may."""
    for line in TABLE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 8 or not cells[1].startswith("`/"):
            continue
        may = dict(zip(("nobody", "agent", "responder", "owner"), cells[3:7]))
        yield cells[0], cells[1].strip("`"), next(who for who, cell in may.items() if cell == "yes")


def faults(tried: Iterable[str]) -> list[str]:
    """What is wrong with the lists above; `tried` are the routes that have requests of their
    own."""
    known = {f"{method} {pattern}" for method, pattern, _ in routes()}
    named = GROWS | READS | SMALL
    own = set(tried)
    return ([f"{route}: what is the worst of it? Add a request to worst_requests.py, or name the "
             "route in routes.py" for route in sorted(known - named - own)] +
            [f"{route}: there is no such route" for route in sorted((named | own) - known)])
