#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An agent of one's own: it shows its work, asks, and goes on with exactly the answer.

    agent.py [SOCKET]      Python 3.8 or later, nothing else
"""
import http.client
import json
import os
import socket
import sys
import time

SOCKET = sys.argv[1] if len(sys.argv) > 1 else os.environ["XDG_RUNTIME_DIR"] + "/parley.sock"
SESSION = "release-notes"


class Local(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(SOCKET)


def call(path, body):
    """One request. A broker that is away, or not ready yet, is waited for."""
    while True:
        connection = Local("parley")
        try:
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            response = connection.getresponse()
            reply = json.loads(response.read() or "null")
        except (OSError, http.client.HTTPException):
            time.sleep(0.2)
            continue
        finally:
            connection.close()
        if response.status < 400:
            return reply
        if response.status != 503:
            sys.exit("parley: " + reply["detail"])
        time.sleep(0.2)


def push(*items):
    call(f"/v1/sessions/{SESSION}/events", items)


def ask(key, question):
    """The same key is the same ask: sent again, it waits on, or brings what was answered."""
    body = {"session": SESSION, "key": key, "questions": [question]}
    while True:
        settled = call("/v1/asks?wait=60", body)
        if settled["state"] != "pending":
            return settled["settlement"]


call("/v1/sessions", {"name": SESSION, "title": "Notes of 2.4", "agent": "writer"})
push({"type": "status", "status": "working"},
     {"type": "text-start", "part_id": "t1", "text": "I read what changed "},
     {"type": "text-delta", "part_id": "t1", "text": "and wrote the notes of 2.4."},
     {"type": "text-end", "part_id": "t1"},
     {"type": "tool-input-available", "call_id": "c1", "tool": "Bash",
      "input": {"command": "git log --oneline v2.3..v2.4"}},
     {"type": "tool-output", "call_id": "c1", "output": "8c1f2d0 Faster start\n41aa9be Dark mode"})
settlement = ask("publish-2.4", {
    "question": "Shall I publish the notes of 2.4?", "header": "Publish",
    "options": [{"label": "Publish", "description": "Everybody sees them at once"}, "Hold back"]})
answers = settlement.get("answers") or [{}]
chosen = ", ".join(answers[0].get("selected", [])) or answers[0].get("other", "no answer")
push({"type": "text-start", "part_id": "t2", "text": f"Then this it is: {chosen}."},
     {"type": "text-end", "part_id": "t2"}, {"type": "finish"})
print(f"{settlement['outcome']}: {chosen}")
