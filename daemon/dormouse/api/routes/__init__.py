"""FastAPI's routes, one module a noun."""

from dormouse.api.routes import (
    facts,
    handoffs,
    journal,
    keys,
    layers,
    privacy,
    runs,
    system,
    waiting,
)

ROUTERS = [
    module.router
    for module in (facts, handoffs, layers, waiting, runs, journal, keys, privacy, system)
]
