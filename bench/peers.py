"""``python -m bench.peers``: the same turns and stale pairs through other memories, over MCP.

Each rival is installed from its registry into an environment of its own, in under a minute or not
at all, and runs without a network afterwards where the system can take it away. With LOCOMO=FILE
one conversation of LoCoMo is stored turn by turn; without it only the stale pairs are run.
"""

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple, Self

from bench.locomo import Conversation, conversations
from bench.measure import Figure, table, timed
from tests.machine import Machine, wait_for

PAIRS = Path(__file__).parent.parent / "tests" / "unit" / "judging" / "pairs.jsonl"
MINUTE = 60
STALE = 20
Call = tuple[str, dict[str, Any]]


class Peer(NamedTuple):
    """How a rival is installed, started, told something and asked. Calls are (tool, arguments)."""

    name: str
    registry: str  # pip or npm
    package: str
    start: Callable[[Path], list[list[str]]]  # what is run once, and last the server
    store: Callable[[str, str], Call]
    search: Callable[[str, int], Call]


PASSPHRASE = "a passphrase for a benchmark"  # noqa: S105  of a vault that is made and thrown away
PEERS = (
    Peer(
        "@modelcontextprotocol/server-memory", "npm", "@modelcontextprotocol/server-memory",
        lambda home: [[str(home / "node_modules/.bin/mcp-server-memory")]],
        lambda id, text: ("create_entities", {
            "entities": [{"name": id, "entityType": "turn", "observations": [text]}]}),
        lambda query, _: ("search_nodes", {"query": query}),
    ),
    Peer(
        "agent-memory-bridge", "pip", "agent-memory-bridge",
        lambda home: [[str(home / "bin/agent-memory-bridge")]],
        lambda _, text: ("store", {"namespace": "bench", "content": text, "kind": "memory"}),
        lambda query, limit: ("recall", {"namespace": "bench", "query": query, "limit": limit}),
    ),
    Peer(
        "compartment", "pip", "compartment",
        lambda home: [
            [str(home / "bin/compartment"), "--vault", str(home / "vault"), "init", "--no-app",
             "--passphrase", PASSPHRASE],
            [str(home / "bin/compartment"), "--vault", str(home / "vault"), "serve"],
        ],
        lambda _, text: ("memory_store", {"text": text, "source": "bench", "namespace": "bench"}),
        lambda query, limit: (
            "memory_search", {"query": query, "namespace": "bench", "top_k": limit}),
    ),
)  # fmt: skip


def install(peer: Peer, home: Path) -> str:
    """Its version. Raises CalledProcessError or TimeoutExpired."""
    if peer.registry == "npm":
        command = ["npm", "install", "--silent", "--no-fund", "--no-audit", peer.package]
        subprocess.run(command, cwd=home, check=True, timeout=MINUTE, capture_output=True)
        package = home / "node_modules" / peer.package / "package.json"
        return str(json.loads(package.read_text())["version"])
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    pip = [str(home / "bin/python"), "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", peer.package], check=True, timeout=MINUTE,
                   capture_output=True)  # fmt: skip
    shown = subprocess.run([*pip, "show", peer.package], check=True, capture_output=True, text=True)
    return shown.stdout.split("Version: ")[1].split()[0]


class Server:
    """A rival's MCP server on stdio."""

    def __init__(self, peer: Peer, home: Path) -> None:
        env = {"PATH": os.environ["PATH"], "HOME": str(home), "HF_HUB_OFFLINE": "1",
               "MEMORY_FILE_PATH": str(home / "memory.jsonl")}  # fmt: skip
        *before, server = peer.start(home)
        for command in before:
            subprocess.run(command, env=env, check=True, capture_output=True, timeout=MINUTE)
        if subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode == 0:
            server = ["unshare", "-n", *server]
        self._process = subprocess.Popen(
            server, env=env, cwd=home, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._last = 0
        about = {"name": "bench", "version": "1"}
        self._request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                     "clientInfo": about})  # fmt: skip
        self._send({"method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def _request(self, method: str, params: dict[str, Any]) -> Any:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):
                answer = json.loads(line)
                if answer.get("id") == self._last:
                    return answer.get("result", {})
        raise RuntimeError("the server went away")

    def call(self, call: Call) -> str:
        """The text that a tool answers."""
        name, arguments = call
        result = self._request("tools/call", {"name": name, "arguments": arguments})
        return "\n".join(part.get("text", "") for part in result.get("content", ()))


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)


def named(answer: str, known: dict[str, str]) -> list[str]:
    """The ids of the stored texts that stand in an answer, in its order."""
    try:
        found = list(strings(json.loads(answer)))
    except ValueError:
        found = [answer]
    places = [
        (at, each.find(text), id)
        for at, each in enumerate(found)
        for text, id in known.items()
        if text in each
    ]
    return list(dict.fromkeys(id for _, _, id in sorted(places)))


def of_locomo(peer: Peer, server: Server, talk: Conversation, every: int) -> Iterator[Figure]:
    known: dict[str, str] = {}
    took = []
    for turn in talk.turns:
        took.append(timed(lambda: server.call(peer.store(turn.id, turn.text))))  # noqa: B023
        known.setdefault(turn.text, turn.id)
    rows = []
    for question, evidence in talk.questions[::every]:
        found = named(server.call(peer.search(question, 10)), known)
        rows.append([len(evidence & set(found[:k])) / len(evidence) for k in (5, 10)])
    five, ten = (mean(row[at] for row in rows) for at in (0, 1))
    asked = f"LoCoMo {talk.name}, {len(rows)} questions, R@5 / R@10"
    yield Figure(f"{peer.name}: {asked}", f"{five:.3f} / {ten:.3f}", "–", None)
    yield Figure(f"{peer.name}: one turn stored", f"{mean(took) * 1_000:.0f} ms", "–", None)


def pairs() -> list[tuple[str, str]]:
    """Statements of which the second replaces the first."""
    rows = (json.loads(line) for line in PAIRS.read_text("utf-8").splitlines())
    return [(row["older"], row["newer"]) for row in rows if row["gold"] == "supersede"][:STALE]


def topic(older: str, newer: str) -> str:
    """What both statements are about: the words of the newer one that the older one has too."""
    known = {word.strip(".,").casefold() for word in older.split()}
    return " ".join(word for word in newer.split() if word.strip(".,").casefold() in known)


def of_ours() -> Figure:
    """The same pairs, each in a project of its own, settled as they come."""
    machine, right = Machine(), 0
    try:
        machine.up()
        for at, (older, newer) in enumerate(pairs()):
            folder = str(machine.repository(f"pair-{at}"))
            for text in (older, newer):
                machine.ask("POST", "/v1/facts", {"text": text, "project": folder})
            wait_for(lambda: not machine.ask("GET", "/v1/health")["pending"], what="settling")
            body = {"query": topic(older, newer), "project": folder, "floor": 0}
            hits = machine.ask("POST", "/v1/recall", body)["hits"]
            right += [hit["text"] for hit in hits] == [newer]
    finally:
        machine.destroy()
    return Figure(
        f"ours: of {STALE} stale pairs only the newer told", str(right), "≥ 18", right >= 18
    )


def of_stale(peer: Peer, server: Server) -> Figure:
    """Both are stored, then what they are about is asked for: is only the newer one told?"""
    right = 0
    for at, (older, newer) in enumerate(pairs()):
        known = {older: "older", newer: "newer"}
        for text, id in known.items():
            server.call(peer.store(f"pair-{at}-{id}", text))
        right += named(server.call(peer.search(topic(older, newer), 10)), known) == ["newer"]
    return Figure(f"{peer.name}: of {STALE} stale pairs only the newer told", str(right), "–", None)


def figures(path: Path | None, name: str, every: int, only: Sequence[str]) -> Iterator[Figure]:
    for peer in PEERS:
        if only and peer.package not in only:
            continue
        home = Path(tempfile.mkdtemp(prefix="peer"))
        try:
            version = install(peer, home)
        except (OSError, subprocess.SubprocessError) as error:
            why = (
                "not within a minute" if isinstance(error, subprocess.TimeoutExpired) else "failed"
            )
            yield Figure(f"{peer.name}: install", f"left out: {why}", "–", None)
            shutil.rmtree(home, ignore_errors=True)
            continue
        yield Figure(f"{peer.name}: version", version, "–", None)
        try:
            with Server(peer, home) as server:
                if path is not None:
                    yield from of_locomo(peer, server, next(conversations(path, [name])), every)
                yield of_stale(peer, server)
        except (OSError, RuntimeError, subprocess.SubprocessError) as error:
            yield Figure(f"{peer.name}: run", f"left out: {type(error).__name__}", "–", None)
        finally:
            shutil.rmtree(home, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers")
    parser.add_argument("--conversation", default="26")
    parser.add_argument("--every", type=int, default=1, help="ask only every n-th question")
    parser.add_argument("--only", nargs="*", default=[], help="packages")
    options = parser.parse_args()
    given = os.environ.get("LOCOMO")
    path = Path(given) if given and Path(given).is_file() else None
    if path is None:
        print("LoCoMo: SKIPPED, LOCOMO=FILE names no archive of it")
    rows = list(figures(path, options.conversation, options.every, options.only))
    print(table([*rows, of_ours()]), flush=True)


if __name__ == "__main__":
    main()
