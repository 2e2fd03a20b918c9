"""``python -m bench.second_set``: developers' facts and prompts (bench/data), by a real daemon.

Prints how many prompts are answered among five with silence on, by language; how many that nothing
fits get anything; and the precision and recall of what was shown at all. The later prompts were
written when the others had long been tuned on.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.measure import Figure, table
from tests.machine import Machine, wait_for

DATA = Path(__file__).parent / "data"
LIMIT = 5


class Prompt(NamedTuple):
    """A prompt, the project it is asked in, and the facts that answer it (none: nothing fits)."""

    language: str
    project: str
    answers: frozenset[str]
    text: str


def facts() -> list[tuple[str, str, str]]:
    """(key, project or "-", text)."""
    rows = (line.split("\t") for line in (DATA / "facts.tsv").read_text("utf-8").splitlines())
    return [(key, project, text) for key, project, text in rows]


def prompts(name: str = "queries") -> list[Prompt]:
    rows = (line.split("\t") for line in (DATA / f"{name}.tsv").read_text("utf-8").splitlines())
    return [
        Prompt(language, project, frozenset(answers.split(",")) - {"-"}, text)
        for language, project, answers, text in rows
    ]


def embedded(machine: Machine, within_s: float = 1_200.0) -> bool:
    """Wait until every fact has its vector; False where no model is installed."""

    def ready() -> str:
        index = machine.ask("GET", "/v1/health")["index"]
        warnings = machine.ask("GET", "/v1/health")["warnings"]
        if any("no model" in each for each in warnings):
            return "none"
        waits = any("until all facts" in each for each in warnings)
        return "all" if index["model"] and not index["pending"] and not waits else ""

    return wait_for(ready, within_s=within_s, what="the vectors") == "all"


def fill(machine: Machine) -> tuple[dict[str, str], dict[str, str]]:
    """Post the facts; the folder of each project, and the key of each fact's id."""
    folders, keys = {}, {}
    for key, project, text in facts():
        if project != "-" and project not in folders:
            folders[project] = str(machine.repository(project))
        body = {"text": text, "settle": False}
        body |= {"scope": "user"} if project == "-" else {"project": folders[project]}
        keys[machine.ask("POST", "/v1/facts", body)["id"]] = key
    return folders, keys


def ask(
    machine: Machine, prompt: Prompt, folders: dict[str, str], keys: dict[str, str], **more: object
) -> list[str]:
    body = {"query": prompt.text, "project": folders[prompt.project], "limit": LIMIT} | more
    return [keys[hit["id"]] for hit in machine.ask("POST", "/v1/recall", body)["hits"]]


def figures(asked: Sequence[tuple[Prompt, list[str]]]) -> list[Figure]:
    """What the aims of docs/comparison.md are held against."""
    answered: Counter[str] = Counter()
    every: Counter[str] = Counter()
    shown = right = disturbed = 0
    for prompt, found in asked:
        shown += len(found)
        right += len(prompt.answers & set(found))
        if not prompt.answers:
            disturbed += bool(found)
            continue
        every[prompt.language] += 1
        answered[prompt.language] += bool(prompt.answers & set(found))
    nothing = len(asked) - every.total()
    lines = [("recall@5, silence on", answered.total() / every.total(), 0.95)]
    lines += [(f"… {name}", answered[name] / every[name], 0.9) for name in every]
    rows = [Figure(what, f"{share:.3f}", f"≥ {aim}", share >= aim) for what, share, aim in lines]
    rows.append(
        Figure(
            "prompts that nothing fits, met with silence",
            f"{nothing - disturbed} of {nothing}",
            f"≥ {nothing - 2}",
            disturbed <= 2,
        )
    )
    rows.append(Figure("of what is shown, right", f"{right / max(shown, 1):.3f}", "–", None))
    return rows


def main() -> None:
    machine = Machine()
    try:
        machine.up()
        folders, keys = fill(machine)
        legs = "words and meaning" if embedded(machine) else "words only: no model is installed"
        asked = [(prompt, ask(machine, prompt, folders, keys)) for prompt in prompts()]
        later = [(prompt, ask(machine, prompt, folders, keys)) for prompt in prompts("later")]
        open_ = [
            (prompt, ask(machine, prompt, folders, keys, floor=0))
            for prompt in prompts()
            if prompt.answers
        ]
    finally:
        machine.destroy()
    hit = sum(bool(prompt.answers & set(found)) for prompt, found in open_)
    rows = [*figures(asked), Figure("recall@5, silence off", f"{hit / len(open_):.3f}", "–", None)]
    print(f"second set, {legs}\n\n{table(rows)}")
    print(f"\nprompts written later\n\n{table(figures(later))}")


if __name__ == "__main__":
    main()
