"""``LOCOMO=FILE python -m bench.locomo``: turns as facts, questions as prompts, beside plain BM25.

FILE is LoCoMo's archive (Maharana et al., ACL 2024, CC BY-NC 4.0): for measuring; it is no part of
this project. Orders were tuned on the conversations TUNE; nobody tunes on REPORT.
"""

import argparse
import json
import os
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from bench import minilm
from bench.inside import Inside
from bench.measure import Figure, table
from bench.second_set import embedded
from bench.store import words_only
from tests.machine import Machine

TUNE = ("26", "30", "41", "42")
REPORT = ("43", "44", "47", "48", "49", "50")
CATEGORIES = (1, 2, 3, 4)  # multi-hop, temporal, open domain, single hop
KS = (5, 10)
MEMBER = "multimodal_dialog/locomo10_v2/{name}.json"
OTHER = "ours with all-MiniLM-L6-v2 in the default model's place"
Search = Callable[[str, int], list[str]]


class Turn(NamedTuple):
    """One turn, kept as one fact: "speaker (date): text [image: caption]"."""

    id: str
    session: int
    said_at: str
    text: str


class Conversation(NamedTuple):
    """Turns in order, and questions with the turns that answer them."""

    name: str
    turns: list[Turn]
    questions: list[tuple[str, frozenset[str]]]


def conversations(path: Path, names: Sequence[str]) -> Iterator[Conversation]:
    with zipfile.ZipFile(path) as archive:
        members = {name: [m for m in archive.namelist() if m.endswith(MEMBER.format(name=name))]
                   for name in names}  # fmt: skip
        for name in names:
            yield read(name, json.loads(archive.read(members[name][0])))


def read(name: str, raw: dict[str, Any]) -> Conversation:
    turns = []
    for number in range(1, 60):
        said_at = raw.get(f"session_{number}_date_time", "")
        for turn in raw.get(f"session_{number}") or ():
            caption = turn.get("blip_caption")
            text = turn.get("text", "") + (f" [image: {caption}]" if caption else "")
            memory = f"{turn['speaker']} ({said_at}): {text}"
            turns.append(Turn(turn["dia_id"], number, said_at, memory))
    known = {turn.id for turn in turns}
    questions = []
    for entry in raw["qa"]:
        named = re.findall(r"D:?(\d+):(\d+)", str(entry.get("evidence")))
        evidence = frozenset(f"D{int(s)}:{int(t)}" for s, t in named) & known
        if entry.get("category") in CATEGORIES and evidence:
            questions.append((entry["question"], evidence))
    return Conversation(name, turns, questions)


def moment(said_at: str) -> str | None:
    """ "1:56 pm on 8 May, 2023" as the daemon takes it."""
    try:
        found = datetime.strptime(said_at, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return None
    return found.isoformat()


def ours(machine: Machine, conversation: Conversation) -> Search:
    """The conversation in a project of its own, each of its sessions under a session_id."""
    folder = str(machine.repository(conversation.name))
    ids: dict[str, str] = {}
    for turn in conversation.turns:
        body: dict[str, Any] = {"text": turn.text, "project": folder, "settle": False}
        body |= {"kind": "project", "at": moment(turn.said_at)}
        body["session_id"] = f"{conversation.name}-{turn.session}"
        fact = machine.ask("POST", "/v1/facts", {k: v for k, v in body.items() if v is not None})
        ids.setdefault(fact["id"], turn.id)

    def search(query: str, limit: int) -> list[str]:
        body = {"query": query, "project": folder, "limit": limit, "floor": 0}
        hits = machine.ask("POST", "/v1/recall", body)["hits"]
        return [ids[hit["id"]] for hit in hits]

    return search


def with_minilm(memory: Inside, conversation: Conversation) -> Search:
    """The same recall with another model, inside this process."""
    ids: dict[str, str] = {}
    for turn in conversation.turns:
        said_at = moment(turn.said_at)
        at = datetime.fromisoformat(said_at) if said_at else datetime(2023, 1, 1, tzinfo=UTC)
        session = f"{conversation.name}-{turn.session}"
        ids.setdefault(memory.say(turn.text, at, conversation.name, session).id, turn.id)
    memory.embed()
    return lambda query, limit: [ids[id] for id in memory.find(query, conversation.name, limit)]


def bm25(conversation: Conversation) -> Search:
    """SQLite's FTS5 as it comes: unicode61, every word of the question, OR."""
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.execute("CREATE VIRTUAL TABLE turns USING fts5 (text)")
    db.executemany(
        "INSERT INTO turns (rowid, text) VALUES (?, ?)",
        [(at, turn.text) for at, turn in enumerate(conversation.turns)],
    )

    def search(query: str, limit: int) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        rows = db.execute(
            "SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?", (words, limit)
        )
        return [conversation.turns[row[0]].id for row in rows]

    return search


def recalls(conversation: Conversation, search: Search) -> list[tuple[float, ...]]:
    """R@k of every question."""

    def one(question: tuple[str, frozenset[str]]) -> tuple[float, ...]:
        text, evidence = question
        found = search(text, max(KS))
        return tuple(len(evidence & set(found[:k])) / len(evidence) for k in KS)

    with ThreadPoolExecutor(1) as pool:
        return list(pool.map(one, conversation.questions))


def measured(
    path: Path, names: Sequence[str], words: bool, other: bool = False
) -> tuple[dict[str, tuple[float, ...]], str]:
    """R@5 and R@10 over all questions of *names* by system, and which legs there were.

    Each conversation is a memory of its own, for both: one store of all would mix their names.
    """
    rows: dict[str, list[tuple[float, ...]]] = {"plain FTS5 BM25": [], "ours": []}
    legs = ""
    for talk in conversations(path, names):
        machine = Machine()
        try:
            machine.up()
            if words:
                words_only(machine)
            search = ours(machine, talk)
            legs = "words only" if words or not embedded(machine) else "words and meaning"
            rows["ours"] += recalls(talk, search)
        finally:
            machine.destroy()
        rows["plain FTS5 BM25"] += recalls(talk, bm25(talk))
        if other:
            with Inside(minilm.holder()) as memory:
                found = recalls(talk, with_minilm(memory, talk))
            rows[OTHER] = rows.get(OTHER, []) + found
    return {
        name: tuple(mean(row[at] for row in found) for at in range(len(KS)))
        for name, found in rows.items()
    }, legs


def figures(
    path: Path, part: str, names: Sequence[str], words: bool, other: bool = False
) -> list[Figure]:
    found, legs = measured(path, names, words, other)
    aims = (0.66, 0.75)
    rows = []
    for name, values in found.items():
        mine = name == "ours"
        rows.append(
            Figure(
                f"LoCoMo {part}: {name}{f', {legs}' if mine else ''}, R@5 / R@10",
                " / ".join(f"{value:.3f}" for value in values),
                "≥ .66 / .75" if mine and part == "REPORT" else "–",
                all(v >= a for v, a in zip(values, aims, strict=True))
                if mine and part == "REPORT"
                else None,
            )
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.locomo")
    parser.add_argument("--part", choices=("tune", "report", "both"), default="both")
    parser.add_argument("--words", action="store_true", help="with recall by meaning off")
    parser.add_argument(
        "--minilm", action="store_true", help="another model beside the default one"
    )
    options = parser.parse_args()
    if options.minilm and minilm.missing():
        parser.exit(2, f"--minilm needs {', '.join(minilm.missing())} (bench/minilm.py)\n")
    part, words = options.part, options.words
    given = os.environ.get("LOCOMO")
    if not given or not Path(given).is_file():
        print("LoCoMo: SKIPPED, LOCOMO=FILE names no archive of it")
        return
    rows: list[Figure] = []
    if part in ("tune", "both"):
        rows += figures(Path(given), "TUNE", TUNE, words, options.minilm)
    if part in ("report", "both"):
        rows += figures(Path(given), "REPORT", REPORT, words, options.minilm)
    print(table(rows))


if __name__ == "__main__":
    main()
