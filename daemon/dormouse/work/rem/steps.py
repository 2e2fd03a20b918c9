"""The steps of a night in their order, and the first three of them. Nothing here judges."""

from collections.abc import Sequence

from dormouse.facts import Fact
from dormouse.judgments import Decision
from dormouse.ledger import Writer
from dormouse.work import catchup, undelivered
from dormouse.work.implicit import take_pending
from dormouse.work.look_again import look_again
from dormouse.work.read_day import read_day
from dormouse.work.rem.consolidate import consolidate
from dormouse.work.rem.night import READ, Note, Sleeping, Step, StoppedError, count
from dormouse.work.rem.tidy import tidy
from dormouse.work.settle import carry_out, plan_for, too_much, unchanged
from dormouse.work.summaries import sum_up_sessions
from dormouse.work.unsure import think_over

AT_ONCE = 100_000  # the plan of a night is one: the fuse looks at all of it


async def catch_up(sleeping: Sleeping) -> None:
    """Read on in every transcript to its end."""
    memory = sleeping.memory
    await memory.aside(lambda: undelivered.take(memory))
    whole = False
    while not whole:
        whole = await memory.aside(lambda: catchup.everything(memory, go_on=sleeping.undisturbed))
        await sleeping.breathe()

    def do(w: Writer, note: Note) -> None:
        """What the day brought since the last good night, by hooks and transcripts."""
        new = w.new_since(w.last_good_sleep())
        count(note, "turns", new["turns"])
        count(note, "facts", new["facts"])

    await sleeping.write(do)


async def read(sleeping: Sleeping) -> None:
    """What people said since: by the rules, then by a thinker where one may be asked."""
    await take_pending(sleeping.memory)
    await sleeping.breathe()
    done = await read_day(sleeping.memory, sleeping.undisturbed, sleeping.write)

    def do(w: Writer, note: Note) -> None:
        count(note, "read", done.turns)
        count(note, "new_facts", len(done.facts))
        count(note, "new_candidates", done.candidates)
        if done.refused:
            note["no_thinker"] = done.refused

    await sleeping.write(do)
    await cost(sleeping)
    await sleeping.breathe()


async def end(sleeping: Sleeping) -> None:
    """What each session came to, once everything that matters more was thought about; then tidy."""
    summed = await sum_up_sessions(sleeping.memory, sleeping.undisturbed)

    def do(w: Writer, note: Note) -> None:
        count(note, "summed_up", summed.sessions)
        if summed.refused:
            note["no_thinker"] = summed.refused

    await sleeping.write(do)
    await cost(sleeping)
    await sleeping.breathe()
    await tidy(sleeping)


async def settle(sleeping: Sleeping) -> None:
    """What was captured since, and then what nobody was sure of, where a thinker may be asked."""
    await settle_all(sleeping)
    again = await look_again(sleeping.memory, sleeping.run_id)
    if again.looked_at:
        await sleeping.write(lambda w, note: count(note, "looked_at_again", again.looked_at))
    await sleeping.breathe()
    await think(sleeping)


async def settle_all(sleeping: Sleeping) -> None:
    """Make one plan for all facts that wait, and carry it out if the fuse lets it."""
    memory = sleeping.memory
    pending = await memory.read(lambda r: r.pending_settle(limit=AT_ONCE))
    plan: list[tuple[Fact, list[Decision]]] = []
    unsure: list[tuple[str, str]] = []
    for fact_id in pending:
        await sleeping.breathe()
        planned = await plan_for(memory, fact_id)
        if planned is not None:
            fact, decisions, open_ = planned
            plan.append((fact, decisions))
            unsure.extend(open_)
    why = await sleeping.write(lambda w, note: _carry_out(w, note, sleeping, plan, unsure))
    if why is not None:
        raise StoppedError(why)


def _carry_out(
    w: Writer,
    note: Note,
    sleeping: Sleeping,
    plan: Sequence[tuple[Fact, list[Decision]]],
    unsure: list[tuple[str, str]],
) -> str | None:
    """All of the plan in one transaction, or nothing of it: then why."""
    memory = sleeping.memory
    plan = [(fact, decisions) for fact, decisions in plan if unchanged(w, fact)]
    places: dict[str | None, tuple[Fact, list[Decision]]] = {}
    for fact, decisions in plan:
        places.setdefault(fact.project_id, (fact, []))[1].extend(decisions)
    reasons = [too_much(w, memory, decisions, fact) for fact, decisions in places.values()]
    why = next((reason for reason in reasons if reason is not None), None)
    w.mark_settled([fact.id for fact, _ in plan])
    w.wait_for_thinker(unsure)
    count(note, "looked_at", len(plan))
    if why is not None:
        w.stop_run(sleeping.run_id, [d for _, decisions in plan for d in decisions])
        note["why"] = why
        return why
    for fact, decisions in plan:
        carry_out(w, memory, decisions, fact, sleeping.run_id)
    return None


async def think(sleeping: Sleeping) -> None:
    """Ask a thinker about what nobody was sure of, at growing intervals; each ruling is kept."""
    done = await think_over(sleeping.memory, sleeping.run_id, sleeping.undisturbed)
    await cost(sleeping)
    if done.refused:
        refused = done.refused
        await sleeping.write(lambda w, note: note.update(no_thinker=refused))
    await sleeping.breathe()


async def cost(sleeping: Sleeping) -> None:
    """Note what thinking has cost since the step began."""

    def do(w: Writer, note: Note) -> None:
        calls = w.thinker_calls(since=sleeping.key)
        note["thinker_calls"] = len(calls)
        note["thinker_tokens"] = sum(call.tokens or call.estimated for call in calls)

    await sleeping.write(do)


STEPS: tuple[Step, ...] = (
    Step("catch_up", catch_up, risky=False),
    Step(READ, read, risky=False),
    Step("settle", settle),
    Step("consolidate", consolidate),
    # Here replay goes: what is strengthened, which bonds grow and which weaken.
    # Here reflection goes: lessons of the day's sessions, as proposals.
    Step("tidy", end, risky=False),
)
