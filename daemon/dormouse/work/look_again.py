"""When a better judge has come: it looks once at what the judges before it left open."""

from dormouse.facts import Fact, Look
from dormouse.judgments import Decision, Verdict
from dormouse.ledger import Reader, Writer
from dormouse.work.memory import Memory
from dormouse.work.settle import Settled, carry_out, plan_for

LOOKED = "judge.looked_again"  # the setting that names the judges who have looked
MOST = 2_000  # pairs looked at in one night
ALWAYS = "9999"  # later than any time at which a pair may be asked again
Pair = tuple[Fact, Fact]


def left_open(r: Reader, memory: Memory) -> list[Pair]:
    """Open pairs, oldest first, if the judges at hand have not looked at them before."""
    if r.setting(LOOKED) == _names(memory):
        return []
    pairs = {
        (q.older.id, q.newer.id): (q.older, q.newer) for q in r.questions(Look(everything=True))
    }
    for waiting in r.unsure_pairs(due=ALWAYS, limit=MOST):
        key = (waiting.older_id, waiting.newer_id)
        facts = r.facts_by_id(key)
        if key not in pairs and len(facts) == len(key):
            pairs[key] = (facts[key[0]], facts[key[1]])
    return [
        pair
        for key, pair in pairs.items()
        if all(fact.current for fact in pair) and not r.is_final(*key)
    ][:MOST]


async def look_again(memory: Memory, run_id: str | None = None) -> Settled:
    """Judge what was left open, and carry out what is clear now; the rest stays as it is.

    A pair is drawn and weighed as if its newer fact had just been captured.
    """
    pairs = await memory.read(lambda r: left_open(r, memory))
    olders: dict[str, set[str]] = {}
    for older, newer in pairs:
        olders.setdefault(newer.id, set()).add(older.id)
    names = [judge.name for judge in memory.ladder.judges]
    clear: list[tuple[Fact, Decision]] = []
    for newer_id, wanted in olders.items():
        plan = await plan_for(memory, newer_id, among=wanted)
        if plan is None:
            continue
        newer, decisions, _ = plan
        clear += [
            (newer, decision)
            for decision in decisions
            if decision.ruling.verdict is not Verdict.UNSURE and decision.ruling.judge in names
        ]

    def do(w: Writer) -> Settled:
        total = Settled(looked_at=len(pairs))
        for newer, decision in clear:
            total.add(carry_out(w, memory, [decision], newer, run_id))
        w.set_setting(LOOKED, _names(memory))
        return total

    if not pairs and await memory.read(lambda r: r.setting(LOOKED)) == _names(memory):
        return Settled()
    return await memory.write(do)


def _names(memory: Memory) -> str:
    return " ".join(judge.name for judge in memory.ladder.judges)
