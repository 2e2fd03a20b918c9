"""What is said in passing is read as the pattern files say, and only where it is simply stated."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dormouse.capture import implicit
from dormouse.capture.cuebook import CONFIDENCE, HOWS, LANGUAGES, Cue, cuebook
from dormouse.capture.implicit import heard, promising, read
from dormouse.facts import Kind

CUES = [(language, cue) for language in LANGUAGES for cue in cuebook(language).cues]
YES = [(f"{language} {cue.name}", cue, *example) for language, cue in CUES for example in cue.yes]
NO = [(f"{language} {cue.name}", said) for language, cue in CUES for said in cue.no]
CANDIDATE = 0.60
STATED = [
    "we decided to use argon2 for passwords",
    "I prefer small commits with a clear message",
    "staging is at https://staging.example.com",
    "wir haben uns für Keycloak entschieden",
    "我们决定用 argon2 做密码哈希",
]
WRAPPINGS = [
    "> {}",
    "```\n{}\n```",
    "~~~text\n{}",
    "look:\n\n    {}",
    'he wrote "{}" yesterday',
    "„{}“ stand da",
    "他写道「{}」",
    "`{}`",
    "<doc>\n{}\n</doc>",
    '<pasted_content id="1">\nx\n{}\ny\n</pasted_content> what is this?',
    '<pasted_content id="2">{}</pasted_content>',
    "<dormouse-memory>\n{}\n</dormouse-memory>\nfix the test",
    "<system-reminder>{}</system-reminder>",
    "<private>{}</private>",
    "Here is the README:\n\n{}",
    "The ticket says:\n{}",
    "下面是日志：\n{}",
    "diff --git a/x b/x\n@@ -1 +1 @@\n+{}\n {}",
    "2026-01-01 10:00:00 {}",
    "ERROR {}",
    "Assistant: {}",
    "| {} |",
    "# Title\n\n{}\n\n## More\n\ntext",
    "$ echo {}",
    "// {}",
    "Translate this:\n{}",
    "act as a product owner. {}",
    "imagine {}",
    "if {}, what then",
    "my colleague says {}",
    "I thought {}",
    "add a comment that says {}",
    "{}?",
    "is it true that {}",
]


def statements(said: str) -> list[implicit.Found]:
    return [found for found in read(said) if found.confidence >= CANDIDATE]


@pytest.mark.parametrize(("name", "cue", "said", "kept"), YES, ids=lambda v: str(v)[:40])
def test_what_a_pattern_is_for_is_read(name: str, cue: Cue, said: str, kept: str) -> None:
    found = [(one.text, one.how, one.confidence) for one in statements(said)]
    assert (kept, cue.how, cue.confidence) in found


@pytest.mark.parametrize(("name", "said"), NO, ids=lambda v: str(v)[:40])
def test_what_a_pattern_is_not_for_is_not_read(name: str, said: str) -> None:
    assert statements(said) == []


@pytest.mark.parametrize(("language", "cue"), CUES, ids=lambda v: str(v)[:20])
def test_every_pattern_has_examples_for_and_against(language: str, cue: Cue) -> None:
    assert cue.yes
    assert len(cue.no) >= (1 if cue.name in ("every part", "needs", "is called") else 2)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_knows_every_way_to_say_something(language: str) -> None:
    assert {cue.how for cue in cuebook(language).cues} == set(HOWS)


@pytest.mark.parametrize("stated", STATED)
@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_what_does_not_speak_for_the_person_is_not_read(stated: str, wrapping: str) -> None:
    said = wrapping.replace("{}", stated)
    assert [one.text for one in statements(said)] == []


@pytest.mark.parametrize("stated", STATED)
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "{}.",
        "fix the login bug. {}",
        "{}\n\nnow run the tests",
        "fix the login bug\n\n```\nx = 1\n```\n\n{}",
        "> quoted line\n\n{}",
        "- fix the login bug\n- {}",
    ],
)
def test_what_the_person_states_beside_it_is_read(stated: str, around: str) -> None:
    assert [one.text for one in statements(around.replace("{}", stated))] == [stated]


def test_the_place_of_a_statement_is_where_it_stands() -> None:
    said = "please fix the login. We decided to use argon2 for passwords, so adapt it."
    (found,) = statements(said)
    assert heard(said)[found.start : found.end].rstrip(" ,.") == found.text


def test_several_statements_of_one_sentence_are_read_apart() -> None:
    said = "we deploy on Thursdays and our database is Postgres 15"
    assert [(one.text, one.how) for one in statements(said)] == [
        ("we deploy on Thursdays", "decision"),
        ("our database is Postgres 15", "project_fact"),
    ]


@pytest.mark.parametrize(
    "said",
    [
        "maybe we decided to use argon2",
        "I think we use pnpm",
        "we should use pnpm for everything",
        "vielleicht nutzen wir pnpm",
        "我们可能用 pnpm",
    ],
)
def test_what_is_doubted_is_weak_at_most(said: str) -> None:
    assert all(found.confidence <= CONFIDENCE["weak"] for found in read(said))


@pytest.mark.parametrize(
    "said",
    [
        "I'm in a meeting until 3",
        "right now we use port 9999 for the tests",
        "we deploy today at 5",
        "let's go with SQLite for now",
        "heute nutzen wir Port 9999",
        "今天我们用 9999 端口",
    ],
)
def test_what_holds_only_today_is_not_read(said: str) -> None:
    assert statements(said) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("the root cause was an expired certificate", True),
        ("The build fails with: error: package `serde` cannot be found", False),
        ("the api at staging.example.com is broken", False),
        ("TypeError: x is not a function\n    at a.js:1:1", False),
        ("die Ursache war eine volle Platte", True),
        ("根本原因是证书过期了", True),
    ],
)
def test_a_bug_report_is_left_out_but_its_root_cause_is_kept(said: str, kept: bool) -> None:
    assert bool(statements(said)) is kept


def test_what_is_said_in_passing_never_becomes_a_rule() -> None:
    for said in ("we never push to main", "we always squash-merge", "I prefer tabs in Go files"):
        (found,) = statements(said)
        assert found.kind is not Kind.FEEDBACK


def test_a_preference_is_about_the_person_and_a_decision_is_not() -> None:
    (preference,) = statements("I prefer small commits with a clear message")
    (decision,) = statements("I've decided to use SQLite for the job queue")
    assert (preference.kind, decision.kind) == (Kind.USER, Kind.PROJECT)


def test_one_language_can_be_asked_for_alone() -> None:
    said = "we decided to use argon2 for passwords"
    assert read(said, language="en")
    assert read(said, language="de") == []
    assert read(said, language="fr") == []


@pytest.mark.parametrize("said", ["thanks!", "go on", "weiter so", "继续", "", "42", "fix it"])
def test_small_talk_is_not_worth_a_look(said: str) -> None:
    assert not promising(said)


@pytest.mark.parametrize("said", [example for _, _, example, _ in YES])
def test_everything_that_is_read_is_worth_a_look(said: str) -> None:
    assert promising(said)


LONG = [
    "we " * 40_000,
    "we decided to " * 12_000,
    "the a b c d e f " * 12_000,
    "in on at " * 20_000,
    "we use, " * 25_000,
    "the root cause for " * 10_000,
    "我们" * 80_000,
    "wir haben uns " * 12_000,
    ("x " * 299 + ".\n") * 300,
    "i prefer \n" * 20_000,
    "a." * 80_000,
    "(" * 100_000,
]


@pytest.mark.parametrize("text", LONG, ids=range(len(LONG)))
def test_the_cost_grows_with_the_length_only(text: str) -> None:
    def cost(of: str) -> float:
        begun = time.process_time()
        read(of)
        return time.process_time() - begun

    read(text[:100])  # the patterns are compiled
    half = min(cost(text[: len(text) // 2]) for _ in range(2))
    whole = min(cost(text) for _ in range(2))
    assert whole < 0.2 + 4 * half
    assert whole < 3.0


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for found in read(text):
        assert 0 <= found.start <= found.end <= len(heard(text))
        assert found.text
