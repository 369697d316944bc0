# SPDX-License-Identifier: Apache-2.0
"""Ask a person through a Parley broker, and go on with exactly the answer.

    from parley_client import Client
    print(Client().ask("Which database?", ["PostgreSQL", "SQLite"]).text)
"""

from .aio import AsyncClient
from .client import Client
from .errors import AlreadySettled, ParleyError, Refused, Unreachable
from .values import Answer, Ask, Decider, Event, Option, Permission, Question, Session, Settlement

__all__ = ["AlreadySettled", "Answer", "Ask", "AsyncClient", "Client", "Decider", "Event", "Option",
           "ParleyError", "Permission", "Question", "Refused", "Session", "Settlement",
           "Unreachable"]
