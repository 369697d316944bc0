# SPDX-License-Identifier: Apache-2.0
"""An agent of the Agent Client Protocol that says so many words a turn, after one tool call.

    streaming_agent.py WORDS WORDS_A_SECOND
"""

import json
import sys
import time


def serve(words: int, words_a_second: int) -> None:
    def tell(**line) -> None:
        print(json.dumps({"jsonrpc": "2.0", **line}), flush=True)

    def update(**news) -> None:
        tell(method="session/update", params={"sessionId": "s", "update": news})

    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "session/prompt":
            call = {"toolCallId": "c", "title": "ls", "kind": "execute"}
            update(sessionUpdate="tool_call", **call, rawInput={"command": "ls"})
            update(sessionUpdate="tool_call_update", toolCallId="c", status="completed",
                   content=[{"type": "content", "content": {"type": "text", "text": "a b"}}])
            begun = time.monotonic()
            for number in range(words):
                update(sessionUpdate="agent_message_chunk",
                       content={"type": "text", "text": f"word{number} "})
                time.sleep(max(0.0, begun + number / words_a_second - time.monotonic()))
        if "id" in request:
            results = {"initialize": {"protocolVersion": 1, "agentCapabilities": {}},
                       "session/new": {"sessionId": "s"}}
            tell(id=request["id"], result=results.get(method, {"stopReason": "end_turn"}))


serve(int(sys.argv[1]), int(sys.argv[2]))
