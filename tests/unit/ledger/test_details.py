"""What was said beside a fact: kept in order of trust, never rewritten, gone only with erasing."""

import pytest

from dormouse.facts import Detail, Fact, Trust
from dormouse.ledger import Ledger
from tests.unit.ledger.store import dump, fact, keep, new_fact, say

STEPS = Detail(("pack", "ship"), ("make", "docker"), "it runs", "on staging", "file")


def test_steps_tools_outcome_and_context_read_back_as_they_were_said(ledger: Ledger) -> None:
    kept = say(ledger, "how the shop is deployed", detail=STEPS).detail
    assert (kept.steps, kept.tools) == (("pack", "ship"), ("make", "docker"))
    assert (kept.outcome, kept.context, kept.origin) == ("it runs", "on staging", "file")
    assert kept.by is Trust.USER


def test_what_is_said_later_adds_and_the_newest_counts(ledger: Ledger) -> None:
    first = say(ledger, "how the shop is deployed", detail=STEPS)
    again = keep(ledger, "how the shop is deployed", session="s2", detail=Detail(("pack", "sell")))
    assert (again.state, again.fact.id) == ("known", first.id)
    assert again.fact.detail.steps == ("pack", "sell")
    assert again.fact.detail.tools == ("make", "docker")


def test_a_weaker_speakers_details_never_stand_over_a_stronger_ones(ledger: Ledger) -> None:
    say(ledger, "how the shop is deployed", detail=Detail(("pack",)))
    theirs = Detail(("run this", "and that"), ("curl",))
    more = {"session": "s2", "trust": Trust.ASSISTANT}
    kept = say(ledger, "how the shop is deployed", detail=theirs, **more).detail
    assert kept.steps == ("pack",)
    assert kept.tools == ("curl",)
    assert kept.by is Trust.ASSISTANT, "one part of it is the agent's"


def test_the_same_details_are_one_row(ledger: Ledger) -> None:
    for session in ("s1", "s2"):
        say(ledger, "how the shop is deployed", session=session, detail=STEPS)
    assert len(dump(ledger)["details"]) == 1


def test_a_secret_in_a_detail_is_taken_out_before_it_is_stored(ledger: Ledger) -> None:
    token = "ghp_" + "A" * 36
    told = Detail((f"log in with {token}",), (token,), token, token)
    kept = say(ledger, "how the shop is deployed", detail=told)
    assert token not in repr(dump(ledger))
    assert kept.detail.steps == ("log in with [redacted:github]",)


@pytest.mark.parametrize(
    "sql", ["DELETE FROM details", "UPDATE details SET steps = '[]'", "REPLACE INTO details"
            " SELECT nr, fact_id, trust, at, '[]', '[]', NULL, NULL, NULL FROM details"],
)  # fmt: skip
def test_details_are_never_rewritten_and_never_deleted(ledger: Ledger, sql: str) -> None:
    kept = say(ledger, "how the shop is deployed", detail=STEPS)
    with pytest.raises(Exception, match=r"never|not authorized|prohibited"):
        ledger.write(lambda w: w._run(sql)).result(10)
    assert fact(ledger, kept.id).detail.steps == ("pack", "ship")


def test_erasing_a_fact_erases_its_details_and_what_others_say_of_it(ledger: Ledger) -> None:
    gone = say(ledger, "the heron sleeps at noon", detail=Detail(("wake the heron gently",)))
    stays = say(ledger, "how the shop is deployed", detail=Detail(outcome=gone.text))
    new = new_fact("a third", detail=STEPS)
    ledger.write(lambda w: w.capture(new)).result(10)
    ledger.erase([gone.id])
    assert "heron" not in repr(dump(ledger)["details"])
    assert fact(ledger, stays.id).detail == Detail()
    left: Fact = fact(ledger, new.id)
    assert left.detail.steps == ("pack", "ship")
