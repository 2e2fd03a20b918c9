"""FastAPI's routes, one module a noun."""

from fastapi import APIRouter

from dormouse.api.routes import facts, journal, keys, runs, system, waiting
from dormouse.api.service import Service


def routers(service: Service) -> list[APIRouter]:
    """All routers, bound to one service."""
    return [module.router(service) for module in (facts, waiting, runs, journal, keys, system)]
