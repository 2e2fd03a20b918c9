"""The ASGI application: the lean routes first, FastAPI for the rest, one error map for both."""

import json
import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from dormouse.api import hot
from dormouse.api.opening import open_again
from dormouse.api.routes import ROUTERS
from dormouse.api.service import Service
from dormouse.api.wire import (
    Message,
    Receive,
    Scope,
    Send,
    error_body,
    fingerprint,
    idempotency_key,
    log_failure,
    read_body,
    send,
    send_json,
)
from dormouse.errors import BadRequest, DormouseError, KeyReused, NotFound

SHOWN_ONCE = ("/v1/keys", "/v1/unlock")  # what these answer is kept under no key
log = logging.getLogger("dormouse")


class Application:
    """One ASGI callable for the whole socket."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._twice = hot.Twice()
        self._rest = build_rest(service)

    async def __call__(self, scope: Scope, receive: Receive, send_: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send_)
        elif scope["type"] == "http":
            await self._http(scope, receive, send_)

    async def _http(self, scope: Scope, receive: Receive, send_: Send) -> None:
        try:
            body = await read_body(receive)
            if self._service.memory is None:
                await open_again(self._service)
            path, post = scope["path"], scope["method"] == "POST"
            if post and path.startswith("/hooks/"):
                answer = await hot.hook(self._service, self._twice, path, body)
            elif post and path == "/v1/facts":
                answer = await hot.capture(self._service, scope, body)
            elif post and path == "/v1/recall":
                answer = await hot.recall(self._service, scope, body)
            else:
                await self._other(scope, body, send_)
                return
            await send(send_, *answer)
        except ConnectionResetError:
            return
        except DormouseError as error:
            await send_json(send_, error.status, error_body(error))
        except Exception as error:  # the error map: nothing unexpected reaches a client in full
            log_failure("a request", error)
            await send_json(send_, 500, error_body(DormouseError()))

    async def _other(self, scope: Scope, body: bytes, send_: Send) -> None:
        """Hand the request, already read, to FastAPI; an idempotency key is answered again."""
        key = idempotency_key(scope) if scope["method"] == "POST" else None
        memory = self._service.memory
        if scope["path"].startswith(SHOWN_ONCE):
            key = None
        mark = fingerprint(scope, body)
        if key and memory is not None:
            kept = await memory.read(lambda r: r.kept_answer(key))
            if kept is not None and kept[0] != mark:
                raise KeyReused()
            if kept is not None:
                done = json.loads(kept[1])
                await send(send_, done["status"], done["body"].encode())
                return
        answer = _Answer(send_)
        await self._rest(scope, _replay(body), answer)
        if key and memory is not None and 200 <= answer.status < 300:
            text = json.dumps({"status": answer.status, "body": answer.body.decode()})
            await memory.write(lambda w: w.keep_answer(key, mark, text))
        await answer.finish()

    async def _lifespan(self, receive: Receive, send_: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._service.begin()
                self._service.started()
                await send_({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self._service.close()
                await send_({"type": "lifespan.shutdown.complete"})
                return


class _Answer:
    """Holds FastAPI's answer back until it is kept under its idempotency key."""

    def __init__(self, to: Send) -> None:
        self._to, self.status, self.body = to, 500, b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")

    async def finish(self) -> None:
        await send(self._to, self.status, self.body)


def _replay(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def build_rest(service: Service) -> FastAPI:
    """The routes that nobody waits for in a hurry."""
    app = FastAPI(title="dormouse", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.service = service
    for router in ROUTERS:
        app.include_router(router)

    @app.exception_handler(DormouseError)
    async def _known(_: Request, error: DormouseError) -> JSONResponse:
        return JSONResponse(error_body(error), error.status)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        # FastAPI's own answer echoes what was sent; this one names the field only.
        where = ".".join(str(part) for part in error.errors()[0].get("loc", ())[-1:])
        return JSONResponse(error_body(BadRequest(what=f"{where} is missing or wrong")), 400)

    @app.exception_handler(HTTPException)
    async def _http(_: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 404:
            return JSONResponse(error_body(NotFound(what="route", id="asked for")), 404)
        return JSONResponse(
            error_body(BadRequest(what="this method does not fit")), error.status_code
        )

    return app
