"""The state machine of a handoff: which step may follow which, and who is refused."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dormouse.errors import HandoffTaken, Refused
from dormouse.handoffs import (
    Content,
    Handoff,
    HandoffEvent,
    State,
    Step,
    What,
    cut_off,
    due,
    finish,
    give_back,
    renew,
    take,
)
from dormouse.times import parse, stamp

NOW = stamp(parse("2026-06-01T09:00:00"))
LEASE = timedelta(minutes=30)


def after(**by: float) -> str:
    return stamp(parse(NOW) + timedelta(**by))


def offered(**more: object) -> Handoff:
    made = Handoff(
        "a" * 16, "p", "main", "claude-code", "s1", None, State.OFFERED, 0, 1, None, None, None,
        NOW, NOW,
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def taken(by: str = "codex") -> Handoff:
    step = take(offered(), by, "s2", NOW, LEASE)
    assert step is not None
    return step.after


def test_taking_gives_a_new_token_and_a_lease() -> None:
    step = take(offered(token=3), "codex", "s2", NOW, LEASE)
    assert step is not None
    assert (step.what, step.after.state, step.after.token) == (What.TAKEN, State.TAKEN, 4)
    assert step.after.until == after(minutes=30)


def test_the_holder_may_take_again_and_nothing_changes() -> None:
    assert take(taken(), "codex", "s3", after(minutes=1), LEASE) is None


def test_another_is_told_who_holds_it_and_until_when() -> None:
    with pytest.raises(HandoffTaken, match="taken by codex until 2026-06-01T09:30") as refused:
        take(taken(), "gemini", "s3", NOW, LEASE)
    assert refused.value.exit_code == 5


def test_one_that_is_for_somebody_else_is_refused() -> None:
    with pytest.raises(Refused, match="is for gemini"):
        take(offered(to_agent="gemini"), "codex", "s2", NOW, LEASE)


@pytest.mark.parametrize("state", [State.FINISHED, State.EXPIRED])
def test_what_is_over_is_taken_by_nobody(state: State) -> None:
    with pytest.raises(Refused, match=str(state)):
        take(offered(state=state), "codex", "s2", NOW, LEASE)


def test_a_lease_that_runs_out_is_offered_again_as_another_attempt() -> None:
    assert due(taken(), after(minutes=29)) is None
    step = due(taken(), after(minutes=30))
    assert step is not None
    assert (step.what, step.agent) == (What.LAPSED, "codex")
    again = step.after
    assert (again.state, again.attempt, again.taken_by, again.until) == (
        State.OFFERED, 2, None, None,
    )  # fmt: skip
    assert again.token == 1, "the old token stays stale"


def test_a_sign_of_life_begins_the_lease_anew() -> None:
    renewed = renew(taken(), "s2", after(minutes=20), LEASE)
    assert due(renewed, after(minutes=45)) is None


def test_nobody_for_a_week_is_expired_and_a_return_begins_the_week_anew() -> None:
    assert due(offered(), after(days=6.9)) is None
    step = due(offered(), after(days=7))
    assert step is not None
    assert step.after.state is State.EXPIRED
    back = give_back(taken(), "codex", 1, after(days=6)).after
    assert due(back, after(days=8)) is None


def test_a_stale_token_has_no_say() -> None:
    lapsed = due(taken(), after(hours=1))
    assert lapsed is not None
    second = take(lapsed.after, "codex", "s4", after(hours=1), LEASE)
    assert second is not None
    for act in (finish, give_back):
        with pytest.raises(Refused, match=r"token 1 .* is stale"):
            act(second.after, "codex", 1, after(hours=1))
        with pytest.raises(Refused, match=r"token 3 .* was never given"):
            act(second.after, "codex", 3, after(hours=1))
    assert finish(second.after, "codex", 2, after(hours=1)).after.state is State.FINISHED


def test_only_the_holder_finishes_and_the_owner_may_for_it() -> None:
    with pytest.raises(HandoffTaken):
        finish(taken(), "gemini", None, NOW)
    with pytest.raises(Refused, match="is offered"):
        finish(offered(), "codex", None, NOW)
    assert finish(taken(), None, None, NOW).agent == "codex"


def test_who_was_cut_off_is_known_until_somebody_gives_it_back() -> None:
    def event(nr: int, what: What, agent: str | None) -> HandoffEvent:
        return HandoffEvent(nr, "a" * 16, what, agent, None, 1, NOW)

    events = [event(1, What.GIVEN, "claude-code"), event(2, What.TAKEN, "codex")]
    assert cut_off(events) is None
    events.append(event(3, What.LAPSED, "codex"))
    assert cut_off(events) == "codex"
    events.append(event(4, What.TAKEN, "gemini"))
    assert cut_off(events) == "codex"
    events.append(event(5, What.RETURNED, "gemini"))
    assert cut_off(events) is None


def test_content_is_the_same_after_being_written_down() -> None:
    content = Content(
        "goal", ("a",), ("b",), ("c",), ("/d",), "main", "e" * 40, ("f",), (("person", "g"),), "h"
    )
    assert Content.from_dict(content.as_dict()) == content


AGENTS = st.sampled_from(["codex", "gemini", "hermes"])
ACTS = st.lists(
    st.tuples(st.sampled_from(["take", "finish", "return", "wait", "renew"]), AGENTS,
              st.integers(0, 4), st.integers(1, 20_000)),
    max_size=30,
)  # fmt: skip


@given(ACTS)
def test_whatever_is_done_tokens_only_rise_and_what_is_over_stays_over(
    acts: list[tuple[str, str, int, int]],
) -> None:
    item, minutes = offered(), 0
    for act, agent, token, wait in acts:
        minutes += wait if act == "wait" else 0
        now = after(minutes=minutes)
        step: Step | None = due(item, now)
        if step is None:
            try:
                if act == "take":
                    step = take(item, agent, None, now, LEASE)
                elif act == "finish":
                    step = finish(item, agent, token, now)
                elif act == "return":
                    step = give_back(item, agent, token, now)
            except Refused:
                step = None
        if step is None:
            continue
        new = step.after
        assert item.state not in (State.FINISHED, State.EXPIRED)
        assert new.token == item.token + (step.what is What.TAKEN)
        assert new.attempt == item.attempt + (step.what in (What.LAPSED, What.RETURNED))
        assert (new.until is not None) == (new.state is State.TAKEN)
        item = new
