"""A scripted stand-in for the hosted models of Claude Code and Codex, for offline tests.

One loopback server speaks Anthropic Messages, OpenAI Responses and Chat Completions. What the
"model" answers is written into the prompt as cues:

  [[tool:NAME {json arguments}]]   call that tool (one call a turn, in order)
  [[say:some text]]                the text of the final answer
  [[sleep:SECONDS]]                wait before the first answer

The cues of the last user message that has any are played one after another: the n-th request after
that message gets the n-th tool call, and when they are used up the final text follows. A tool that
the request does not offer is skipped, so side requests (titles, summaries) always get plain text.

With ``--script FILE`` the JSON in FILE is what it does instead, whatever the prompt says.
Every request is appended to the log as one JSON line: {"n", "method", "path", "body", "reply"}.
It imports nothing of Dormouse.
"""

import argparse
import gzip
import json
import re
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

DECODER = json.JSONDecoder()
TOOL_CUE = re.compile(r"\[\[tool:([\w.:-]+)\s+(?=\{)")
SAY_CUE = re.compile(r"\[\[say:(.*?)\]\]", re.S)
SLEEP_CUE = re.compile(r"\[\[sleep:([\d.]+)\]\]")
THOUGHT = re.compile(r"\[dormouse-thinker\] (\w+)\n")
DEFAULT_TEXT = "Fake model says OK."

Event = tuple[str, Any]
# answer (any JSON), text, think, status with message, location; sleep, model, tokens
Plan = dict[str, Any]
STRUCTURED = "StructuredOutput"  # the tool by which Claude Code returns an answer that has a schema


class Said(NamedTuple):
    """One message of a conversation; ``results`` counts the tool results in it."""

    role: str
    text: str
    results: int = 0


class Script(NamedTuple):
    """The cues of one message."""

    tools: list[tuple[str, Any]]
    say: str | None
    sleep: float


class Reply(NamedTuple):
    """What the model does next: call a tool, or say its text."""

    text: str = DEFAULT_TEXT
    tool: str | None = None
    arguments: Any = None
    sleep: float = 0.0


def read_script(text: str) -> Script:
    tools, rest, position = [], [], 0
    while match := TOOL_CUE.search(text, position):
        try:
            arguments, end = DECODER.raw_decode(text, match.end())
        except ValueError:
            position = match.end()
            continue
        rest.append(text[position : match.start()])
        tools.append((match.group(1), arguments))
        position = end
    rest.append(text[position:])
    outside = "".join(rest)
    say, sleep = SAY_CUE.search(outside), SLEEP_CUE.search(outside)
    return Script(tools, say and say.group(1), float(sleep.group(1)) if sleep else 0.0)


def thought(turns: list[Said], rules: Plan) -> Any:
    """What a thinker answers by *rules*, to a request of Dormouse; None to any other.

    ``supersede`` and ``keep`` are lists of [older, newer], patterns of two texts (else: unsure);
    ``facts`` are {quote, text, kind}, said of each turn that holds the quote; ``clauses`` are by
    the text of a fact.
    """
    for turn in turns:
        asked = THOUGHT.match(turn.text)
        if turn.role != "user" or asked is None:
            continue
        data = json.loads(turn.text[asked.end() :])
        if asked[1] == "split":
            return {"clauses": rules.get("clauses", {}).get(data["older"], [])}
        if asked[1] == "summary":
            return {"sentences": rules.get("sentences", [])}
        if asked[1] == "summary":
            return {"sentences": rules.get("sentences", [])}
        if asked[1] == "judge":
            return {"verdicts": [ruled(pair, rules) for pair in data["pairs"]]}
        facts = [
            {**fact, "turn": said["turn"]}
            for said in data["turns"]
            for fact in rules.get("facts", [])
            if fact["quote"] in said["text"]
        ]
        return {"facts": facts}
    return None


def ruled(pair: Any, rules: Plan) -> Any:
    texts = pair["older"]["text"], pair["newer"]["text"]
    for word in ("supersede", "keep"):
        for patterns in rules.get(word, []):
            if all(re.search(p, text) for p, text in zip(patterns, texts, strict=True)):
                return {"pair": pair["pair"], "verdict": word}
    return {"pair": pair["pair"], "verdict": "unsure"}


def decide(turns: list[Said], offered: set[str], plan: Plan) -> Reply:
    if "think" in plan and (answer := thought(turns, plan["think"])) is not None:
        plan = {"answer": answer}
    if "text" in plan:
        return Reply(text=plan["text"])
    if "answer" in plan:
        asked = not any(turn.results for turn in turns)
        if STRUCTURED in offered and asked:
            return Reply(tool=STRUCTURED, arguments=plan["answer"])
        return Reply(text=json.dumps(plan["answer"]))
    at, script = -1, Script([], None, 0.0)
    for index, turn in enumerate(turns):
        if turn.role == "user" and "[[" in turn.text and any(read_script(turn.text)):
            at, script = index, read_script(turn.text)
    tools = [tool for tool in script.tools if tool[0] in offered]
    done = sum(turn.results for turn in turns[at + 1 :])
    if at >= 0 and done < len(tools):
        name, arguments = tools[done]
        return Reply(tool=name, arguments=arguments, sleep=script.sleep if done == 0 else 0.0)
    return Reply(text=script.say or DEFAULT_TEXT, sleep=0.0 if tools else script.sleep)


def flat(content: Any, *kinds: str) -> str:
    """The text of a content field that is a string or a list of typed parts."""
    if isinstance(content, str):
        return content
    return "\n".join(
        part.get("text", "")
        for part in content or []
        if isinstance(part, dict) and part.get("type", "text") in kinds
    )


def name(prefix: str) -> str:
    return prefix + uuid.uuid4().hex[:24]


def anthropic(body: Any, plan: Plan) -> tuple[Reply, Any, list[Event]]:
    turns = []
    for message in body.get("messages", []):
        parts = message["content"] if isinstance(message["content"], list) else []
        results = sum(part.get("type") == "tool_result" for part in parts)
        turns.append(Said(message["role"], flat(message["content"], "text"), results))
    reply = decide(turns, {tool.get("name") for tool in body.get("tools", [])}, plan)
    usage = {"input_tokens": 10, "output_tokens": 5}
    usage |= {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    if reply.tool:
        block = {"type": "tool_use", "id": name("toolu_"), "name": reply.tool}
        full, empty, stop = {**block, "input": reply.arguments}, {**block, "input": {}}, "tool_use"
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.arguments)}
    else:
        full, empty = {"type": "text", "text": reply.text}, {"type": "text", "text": ""}
        delta, stop = {"type": "text_delta", "text": reply.text}, "end_turn"
    start: dict[str, Any] = {"id": name("msg_"), "type": "message", "role": "assistant"}
    start |= {"model": body.get("model", "fake"), "stop_sequence": None, "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**start, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "usage": usage,
            "delta": {"stop_reason": stop, "stop_sequence": None},
        },
        {"type": "message_stop"},
    ]
    whole = {**start, "content": [full], "stop_reason": stop}
    return reply, whole, [(str(event["type"]), event) for event in events]


def responses(body: Any, plan: Plan) -> tuple[Reply, Any, list[Event]]:
    given = body.get("input", [])
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    turns = []
    for part in given:
        kind = part.get("type", "message")
        if kind == "message":
            text = flat(part["content"], "input_text", "output_text", "text")
            turns.append(Said(part["role"], text))
        elif kind.endswith("_output"):
            turns.append(Said("tool", "", 1))
    offered = {tool.get("name") or tool.get("type") for tool in body.get("tools", [])}
    spaces = {  # an MCP server's tools stand in a namespace
        inner["name"]: tool["name"]
        for tool in body.get("tools", [])
        for inner in tool.get("tools", [])
    }
    reply = decide(turns, offered | set(spaces), plan)
    made: dict[str, Any]
    if reply.tool:
        made = {"type": "function_call", "id": name("fc_"), "call_id": name("call_")}
        made |= {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
        made |= {"namespace": spaces[reply.tool]} if reply.tool in spaces else {}
    else:
        said = {"type": "output_text", "text": reply.text, "annotations": []}
        made = {"type": "message", "id": name("msg_"), "role": "assistant", "content": [said]}
    made["status"] = "completed"
    whole: dict[str, Any] = {
        "id": name("resp_"),
        "object": "response",
        "created_at": int(time.time()),
    }
    whole |= {"status": "completed", "model": body.get("model", "fake"), "output": [made]}
    whole["usage"] = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    whole["usage"]["input_tokens_details"] = {"cached_tokens": 0}
    whole["usage"]["output_tokens_details"] = {"reasoning_tokens": 0}
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "item": {**made, "status": "in_progress"}},
        {"type": "response.output_item.done", "item": made},
        {"type": "response.completed", "response": whole},
    ]
    if not reply.tool:
        delta = {"type": "response.output_text.delta", "item_id": made["id"], "delta": reply.text}
        events.insert(2, {**delta, "content_index": 0})
    events = [{**event, "output_index": 0, "sequence_number": n} for n, event in enumerate(events)]
    return reply, whole, [(str(event["type"]), event) for event in events]


def chat(body: Any, plan: Plan) -> tuple[Reply, Any, list[Event]]:
    """Chat completions, whole: what is streamed elsewhere is not asked for here."""
    turns = [Said(m["role"], flat(m["content"], "text")) for m in body.get("messages", [])]
    reply = decide(turns, set(), plan)
    said = {"role": "assistant", "content": reply.text}
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    total = plan.get("tokens", 15)
    usage = {"prompt_tokens": total - 5, "completion_tokens": 5, "total_tokens": total}
    whole = {"id": name("chatcmpl-"), "object": "chat.completion", "model": body.get("model")}
    return reply, {**whole, "choices": [choice], "usage": usage}, []


ROUTES: list[tuple[str, Callable[[Any, Plan], tuple[Reply, Any, list[Event]]]]] = [
    ("/messages/count_tokens", lambda _, plan: (Reply(), {"input_tokens": 10}, [])),
    ("/chat/completions", chat),
    ("/messages", anthropic),
    ("/responses", responses),
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "FakeModel"

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the log of requests is a file."""

    def do_POST(self) -> None:
        raw = self.read_body()
        body = json.loads(raw) if raw else {}
        path = self.path.split("?")[0]
        plan = self.server.plan()
        for suffix, protocol in ROUTES:
            if path.endswith(suffix):
                reply, whole, events = protocol(body, plan)
                self.server.record(self, body, reply)
                time.sleep(plan.get("sleep", reply.sleep))
                if "status" in plan:
                    self.refuse(plan)
                    return
                if events and body.get("stream"):
                    self.send_events(events)
                else:
                    self.send_json(200, whole)
                return
        self.server.record(self, body, None)
        self.send_json(404, {"error": {"type": "not_found_error", "message": "no such endpoint"}})

    def refuse(self, plan: Plan) -> None:
        """Answer with an error as vendors word it, or send the caller elsewhere."""
        kind = "rate_limit_error" if plan["status"] == 429 else "api_error"
        error = {"type": kind, "message": plan.get("message", "")}
        where = {"location": plan["location"]} if "location" in plan else {}
        self.send_json(plan["status"], {"type": "error", "error": error}, where)

    def do_GET(self) -> None:
        self.server.record(self, None, None)
        if self.path.split("?")[0].endswith("/models"):
            row = {"id": "fake", "object": "model", **self.server.plan().get("model", {})}
            self.send_json(200, {"object": "list", "data": [row]})
        else:
            self.send_json(404, {"error": {"message": "no such endpoint"}})

    do_HEAD = do_GET

    def read_body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            raw = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(raw) if self.headers.get("content-encoding") == "gzip" else raw

    def send_json(self, status: int, value: Any, more: Mapping[str, str] | None = None) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        for header, content in (more or {}).items():
            self.send_header(header, content)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def send_events(self, events: list[Event]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        for kind, data in events:
            self.wfile.write(f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode())
            self.wfile.flush()


class FakeModel(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, log: Path, script: Path | None = None) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.log, self.lock, self.count, self.script = log, threading.Lock(), 0, script

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of callers that hang up: tests make them."""

    def plan(self) -> Plan:
        """What the script file says of every request; read each time, so that it can change."""
        if self.script is None or not self.script.exists():
            return {}
        made: Plan = json.loads(self.script.read_text())
        return made

    def record(self, handler: Handler, body: Any, reply: Reply | None) -> None:
        with self.lock, self.log.open("a", encoding="utf-8") as out:
            self.count += 1
            line = {"n": self.count, "method": handler.command, "path": handler.path}
            line |= {"body": body, "reply": reply and reply._asdict()}
            out.write(json.dumps(line) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="A scripted stand-in for hosted models.")
    parser.add_argument("--port", type=int, default=8399)
    parser.add_argument("--log", type=Path, default=Path("requests.jsonl"))
    parser.add_argument("--script", type=Path)
    options = parser.parse_args()
    FakeModel(options.port, options.log, options.script).serve_forever()


if __name__ == "__main__":
    main()
