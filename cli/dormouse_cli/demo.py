"""The demo: the whole story once, with the real daemon and scripted agents, in a temporary home.

It proves what it tells: each step checks what it shows, and the demo exits 1 if one is not so.
"""

import time
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import resources
from typing import Any

import typer

from dormouse_cli import errors, fact_text
from dormouse_cli.daemon import route
from dormouse_cli.options import Json, example
from dormouse_cli.output import dumps, say, short
from dormouse_cli.stage import Session, Stage
from dormouse_wire.hosts import HOSTS

SETTLED_S = 2.0
POLL_S = 0.05

app = typer.Typer(rich_markup_mode=None)


class NotSo(Exception):
    """What the story tells did not happen."""


@dataclass
class Step:
    """One step of the story as --json gives it."""

    title: str
    ok: bool = True
    detail: str = ""


@dataclass
class Teller:
    """Tells each step, to a person while it happens, and keeps it for --json."""

    quiet: bool
    steps: list[Step] = field(default_factory=list)

    def prologue(self, text: str) -> None:
        if not self.quiet:
            say(text)

    def begin(self, title: str) -> None:
        self.steps.append(Step(title))
        if not self.quiet:
            say()
            say(f"{len(self.steps):>2}. {title}", "bold")

    def tell(self, text: str) -> None:
        step = self.steps[-1]
        step.detail = f"{step.detail}\n{text}" if step.detail else text
        if not self.quiet:
            for line in text.splitlines():
                say(f"    {line}")

    def end(self, ok: bool) -> None:
        self.steps[-1].ok = ok
        if not self.quiet:
            say("    ok" if ok else "    this went wrong", "good" if ok else "bad")


@app.command(epilog=example("dormouse demo"))
def demo(as_json: Json = False) -> None:
    """Play the whole story in a temporary home. Your own memory is not touched."""
    teller = Teller(quiet=as_json)
    began = time.monotonic()
    play(teller)
    ok = all(step.ok for step in teller.steps)
    if as_json:
        print(dumps({"steps": [asdict(step) for step in teller.steps], "ok": ok}))
    else:
        say()
        took = f"{len(teller.steps)} steps in {time.monotonic() - began:.1f} s"
        say(f"ok: {took}" if ok else "the demo failed", "good" if ok else "bad")
    if not ok:
        raise typer.Exit(1)


def play(teller: Teller) -> None:
    """Every scene in turn, until one is not as told; the stage is cleaned in any case."""
    story = tomllib.loads(resources.files("dormouse_cli").joinpath("story.toml").read_text("utf-8"))
    teller.prologue(story["prologue"])
    with Stage(story["payloads"]) as stage:
        scenes = Scenes(stage, story, teller)
        for name, scene in scenes.in_order():
            teller.begin(story["titles"][name])
            try:
                scene()
            except (NotSo, errors.CliError) as error:
                teller.tell(str(error))
                teller.end(False)
                return
            teller.end(True)


def so(ok: object, otherwise: str) -> None:
    """Check what the story tells."""
    if not ok:
        raise NotSo(otherwise)


class Scenes:
    """What happens, one method a scene. They build on each other."""

    def __init__(self, stage: Stage, story: Mapping[str, Any], teller: Teller) -> None:
        self.stage, self.tell = stage, teller.tell
        self.prompts: Mapping[str, str] = story["prompts"]
        self.old_address, self.new_address = str(story["old"]), str(story["new"])
        self.words: list[str] = story["unreadable"]

    def in_order(self) -> list[tuple[str, Callable[[], None]]]:
        return [
            ("up", self.up),
            ("connect", self.connect),
            ("tell", self.told),
            ("shared", self.shared),
            ("move", self.move),
            ("judged", self.judged),
            ("recalled", self.recalled),
            ("taken_back", self.taken_back),
            ("retired", self.retired),
            ("restored", self.restored),
            ("unreadable", self.unreadable),
            ("handed_on", self.handed_on),
        ]

    def up(self) -> None:
        made = self.stage.dormouse("up")
        self.stage.pid = made["pid"]
        so(made["created"], "no new memory was made")
        self.tell(f"$ dormouse up\nencrypted, in {self.stage.home}; its key lies in another folder")

    def connect(self) -> None:
        changes = self.stage.dormouse("connect")
        self.tell("$ dormouse connect")
        for change in changes:
            self.tell(f"{HOSTS[change['agent']].title}: {change['state'].replace('_', ' ')}")
        wanted = {"connected", "waiting_for_approval"}
        so(len(changes) == 2, "two agents should have been found")
        so({change["state"] for change in changes} <= wanted, "an agent was not connected")

    def told(self) -> None:
        self.claude = self.stage.session("claude-code")
        context = self._say(self.claude, "tell")
        so("noted" in context, "Claude Code was not told that it was noted")

    def shared(self) -> None:
        self.codex = self.stage.session("codex", self.stage.repository / "services")
        self._show(self.codex, self.codex.start)
        context = self.codex.start
        if self.old_address not in context:
            context += self._say(self.codex, "ask")
        so(self.old_address in context, "Codex was not given the address")

    def move(self) -> None:
        context = self._say(self.codex, "move")
        self.moved_at = time.monotonic()
        so("noted" in context, "Codex was not told that it was noted")

    def judged(self) -> None:
        while not (retired := self.stage.look("/v1/retired")):
            waited = time.monotonic() - self.moved_at
            so(waited < SETTLED_S, "the old address was not retired within two seconds")
            time.sleep(POLL_S)
        self.old = retired[0]
        took = time.monotonic() - self.moved_at
        current = self._facts()
        so(len(current) == 1, "exactly one fact should be current")
        self.new = current[0]
        so(self.old_address in self.old["text"], "another fact was retired")
        so(self.new_address in self.new["text"], "the new address is not current")
        self.tell(f"{short(self.old['id'])}  ~~{self.old['text']}~~")
        self.tell(f"{short(self.new['id'])}  {self.new['text']}")
        self.tell(f"{self.old['judge']} judged the pair: supersede, after {took * 1000:.0f} ms")

    def recalled(self) -> None:
        session = self.stage.session("claude-code")
        self._show(session, session.start)
        context = session.start + self._say(session, "ask")
        so(self.new_address in context, "the new address was not recalled")
        so(self.old_address not in context, "the old address was still shown")

    def taken_back(self) -> None:
        context = self._say(self.claude, "go_on")
        so("no longer true" in context, "the first session was not told")
        so(self.new_address in context, "the first session was not told the new address")

    def retired(self) -> None:
        rows = self.stage.dormouse("retired")
        self.tell("$ dormouse retired")
        for fact in rows:
            self.tell(f"{short(fact['id'])}  {fact['text']}")
            self.tell(f"        {fact_text.state_of(fact)}, judged by {fact['judge']}")
        so(rows[0]["superseded_by"] == self.new["id"], "its successor is not named")
        so(rows[0]["judge"], "its judge is not named")

    def restored(self) -> None:
        fact = self.stage.dormouse("restore", self.old["id"])
        self.tell(f"$ dormouse restore {short(fact['id'])}\n{short(fact['id'])} is current again")
        run = self.stage.dormouse("rem", "run", "--wait")
        self.tell(f"$ dormouse rem run --wait\n{run['state']}, retired: {len(run['retired'])}")
        current = {each["id"] for each in self._facts()}
        so(current == {self.old["id"], self.new["id"]}, "a judge retired it again")
        self.tell("no judge retires again what you brought back")

    def handed_on(self) -> None:
        giver = self.stage.session("claude-code")
        self._say(giver, "task")
        given = self.stage.dormouse("handoff", "give", "--to", "codex")
        self.tell(f"$ dormouse handoff give --to codex\noffered {short(given['id'])} to codex")
        taker = self.stage.session("codex")
        self._show(taker, taker.start)
        so(given["goal"] in taker.start, "Codex was not given the goal")
        so("decision: " in taker.start, "Codex was not given the decision")
        context = self._say(giver, "go_on")
        so("was taken by Codex" in context, "Claude Code was not told who took it")
        done = self.stage.dormouse("handoff", "finish", given["id"])
        so(done["state"] == "finished", "it was not finished")
        self.tell(f"$ dormouse handoff finish {short(given['id'])}\nfinished by Codex")
        self._clean()

    def unreadable(self) -> None:
        found = self.stage.readable(self.words)
        so(not found, f"readable in {', '.join(found)}")
        self.stage.dormouse("down")
        found = self.stage.readable(self.words)
        so(not found, f"readable after the stop in {', '.join(found)}")
        self.stage.pid = self.stage.dormouse("up")["pid"]
        self.tell(f"looked for {', '.join(self.words)} in every file, running and stopped: nowhere")

    def _clean(self) -> None:
        """Look once more, since a handoff was written, then leave nothing behind."""
        found = self.stage.readable(self.words)
        so(not found, f"readable in {', '.join(found)}")
        so(self.stage.clean(), "the daemon or its folder is still there")
        self.tell("the daemon has stopped, the folder is gone")

    def _facts(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.stage.look(
            route("facts", which="current", project=str(self.stage.repository))
        )
        return found

    def _say(self, session: Session, prompt: str) -> str:
        text = self.prompts[prompt]
        self.tell(f"you to {HOSTS[session.agent].title}: {text}")
        context = session.prompt(text)
        self._show(session, context)
        return context

    def _show(self, session: Session, context: str) -> None:
        if context:
            lines = "\n".join(f"  | {line}" for line in context.splitlines())
            self.tell(f"{HOSTS[session.agent].title} is given:\n{lines}")
