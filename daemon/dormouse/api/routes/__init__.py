"""FastAPI's routes, one module a noun."""

from dormouse.api.routes import facts, journal, keys, privacy, runs, system, waiting

ROUTERS = [module.router for module in (facts, waiting, runs, journal, keys, privacy, system)]
