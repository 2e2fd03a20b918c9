"""What a person corrects, over the real daemon: the right fact goes, with the right words."""

import pytest

from tests.machine import Machine


@pytest.mark.parametrize(
    ("known", "said", "then"),
    [
        ("the api listens on port 8080", "no, not 8080, it's 9090", "the api listens on port 9090"),
        (
            "the unit tests run with jest",
            "no, we use vitest for the unit tests, not jest",
            "we use vitest for the unit tests",
        ),
        (
            "der Staging-Server ist 10.0.0.5",
            "nein, nicht 10.0.0.5, sondern 10.0.0.9",
            "der Staging-Server ist 10.0.0.9",
        ),
    ],
)
def test_a_correction_takes_the_place_of_what_it_names(
    daemon: Machine, known: str, said: str, then: str
) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt(f"remember: {known}")
    assert then in session.prompt(said)
    daemon.settled()
    facts = {fact["text"]: fact for fact in daemon.facts("all", repository)}
    assert [text for text, fact in facts.items() if fact["current"]] == [then]
    assert facts[known]["because"] == "corrected"


def test_a_correction_that_could_mean_several_facts_asks_and_changes_nothing(
    daemon: Machine,
) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt("remember: the api listens on port 8080")
    session.prompt("remember: the proxy forwards to port 8080")
    assert "several facts could be meant" in session.prompt("no, not 8080, it's 9090")
    daemon.settled()
    assert len(daemon.facts(project=repository)) == 2


def test_a_correction_by_command_is_the_owners_and_the_session_is_told(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.start()
    session.prompt("remember that the queue is called blue-7")
    (old,) = daemon.facts(project=repository)
    new = daemon.json("correct", old["id"], "the queue is called red-9", cwd=repository)
    assert [(s["agent"], s["session"]) for s in new["sources"]] == [(None, None)]
    told = session.prompt("Where were we?")
    assert "no longer true" in told
    assert "red-9" in told


def test_a_fact_for_one_session_stays_that_sessions_when_it_is_corrected(daemon: Machine) -> None:
    more = {"scope": "session", "session_id": "s1", "project": str(daemon.repository("shop"))}
    old = daemon.remember("the queue is called blue-7", **more)
    new = daemon.json("correct", old["id"], "the queue is called red-9")
    assert new["scope"] == "session"
    assert new["sources"][0]["session"] is None
    body = {"query": "queue called", "session_id": "s1", "project": more["project"]}
    hits = daemon.ask("POST", "/v1/recall", body)["hits"]
    assert [hit["id"] for hit in hits] == [new["id"]]


@pytest.mark.parametrize("text", ["forget everything", "vergiss alles", "忘掉所有"])
def test_forget_everything_deletes_nothing_and_says_what_to_do(daemon: Machine, text: str) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.start()
    session.prompt("remember that the queue is called blue-7")
    told = session.prompt(text)
    assert "nothing was forgotten" in told
    assert "dormouse retire" in told
    assert len(daemon.facts(project=repository)) == 1


@pytest.mark.parametrize("times", [300, 360, 3000])
def test_a_statement_that_is_too_long_is_said_to_be_cut(daemon: Machine, times: int) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.start()
    text = "the release notes say " + ("alpha beta gamma " * times).strip()
    told = session.prompt(f"remember that {text}")
    assert "only its first 39" in told
    assert f"of {len(text)} characters were noted" in told
    (fact,) = daemon.facts(project=repository)
    assert len(fact["text"]) <= 4_000


def test_a_command_keeps_its_list_and_says_what_it_can_not_keep(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.start()
    told = session.prompt("remember that the deploy has two steps:\n1. build the wheel\n2. push it")
    assert "the deploy has two steps: 1. build the wheel; 2. push it" in told
    told = session.prompt("remember that the port moved:\n```\nport = 8080\n```")
    assert "noted" in told
    assert "code and quotes are never kept" in told
    told = session.prompt("remember that main is protected\nthe other branches tell another tale")
    assert "not what stands under it" in told
    told = session.prompt("remember that the config is:\n```\nport = 8080\n```")
    assert "not noted: code and quotes are never kept" in told
    assert {fact["text"] for fact in daemon.facts(project=repository)} == {
        "the deploy has two steps: 1. build the wheel; 2. push it",
        "the port moved",
        "main is protected",
    }


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("remember that staging is on db-7. What is the port of the shop?", "staging is on db-7"),
        ("remember that staging is on db-7, what is the port of the shop?", "staging is on db-7"),
        ("merk dir: Staging liegt auf db-7", "Staging liegt auf db-7"),
        ("merk dir, dass Staging auf db-7 liegt", "Staging auf db-7 liegt"),
    ],
)
def test_the_words_of_the_order_and_a_question_behind_it_are_not_kept(
    daemon: Machine, said: str, text: str
) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.start()
    assert f": {text}\n" in session.prompt(said)
    daemon.settled()
    assert [fact["text"] for fact in daemon.facts(project=repository)] == [text]


def test_private_parts_are_left_out_of_what_the_owners_programs_store(daemon: Machine) -> None:
    kept = daemon.remember("the door opens at nine <private>with 4711</private>")
    assert kept["text"] == "the door opens at nine"
    corrected = daemon.ask(
        "POST", f"/v1/facts/{kept['id']}/correct", {"text": "it opens <private>x</private> at ten"}
    )
    assert "private" not in corrected["text"]
    assert daemon.call("POST", "/v1/facts", {"text": "<private>all of it</private>"})[0] == 400


def test_forgetting_what_held_does_not_take_the_fact_that_ended_it(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    ended = "we rebuilt the search index with Tantivy, it is no longer built with Lucene"
    session.prompt(f"remember that {ended}")
    told = session.prompt("forget that the search index is built with Lucene")
    assert "this says otherwise" in told
    kept = next(fact for fact in daemon.facts("all", repository) if fact["text"] == ended)
    assert kept["current"]
    session.prompt(f"forget {kept['id']}")
    assert not daemon.json("show", kept["id"])["current"]


def test_forgetting_one_value_does_not_take_the_fact_with_another(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    for fact, other, same in (
        ("production runs in Oslo", "production runs in Bergen", "that production runs in Oslo"),
        ("die Produktion läuft in Oslo", "Produktion in Bergen läuft", "Produktion in Oslo"),
        ("生产环境跑在奥斯陆", "生产环境跑在卑尔根", "生产环境在奥斯陆"),
        ("backups are run at two", "backups are run at three", "the old note on running backups"),
        ("Kafka has 3 brokers", "that Kafka has 5 brokers", "that Kafka has 3 brokers"),
        ("we use C for the driver", "we use C++ for the driver", "we use C for the driver"),
        ("the port is 5440", "that the port is 5432, it is 5440 now", "the port is 5440"),
        (
            "Lena macht die Releases",
            "dass Tom die Releases macht, das macht jetzt Lena",
            "Lena macht die Releases",
        ),
        ("Anna is on call", "that Anna, Bob and Carl are admins", "that Anna is on call"),
        ("staging is on db-7, port 5433", "staging is on db-8", "staging is on db-7, port 5433"),
        ("端口是 5440", "端口是 5432，现在是 5440", "端口是 5440"),
        (
            "we use Vitest for unit tests",
            "we use Jest for unit tests instead of Vitest",
            "we use Vitest for unit tests",
        ),
    ):
        session.prompt(f"remember: {fact}")
        told = session.prompt(f"forget {other}")
        assert "nothing says just that" in told or "nothing was found" in told
        assert [each["text"] for each in daemon.facts(project=repository)] == [fact]
        assert "retired" in session.prompt(f"forget {same}")
        assert daemon.facts(project=repository) == []


def test_an_order_said_again_after_its_opposite_is_a_new_one(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt("remember that staging is on db-7")
    session.prompt("forget that staging is on db-7")
    assert daemon.facts(project=repository) == []
    session.prompt("remember that staging is on db-7")
    assert [fact["text"] for fact in daemon.facts(project=repository)] == ["staging is on db-7"]


def test_forgetting_what_is_not_does_not_take_what_is(daemon: Machine) -> None:
    repository = daemon.repository("shop")
    session = daemon.session("claude-code", repository)
    session.prompt("remember that we squash commits")
    assert "this says otherwise" in session.prompt("forget that we don't squash commits")
    assert [fact["text"] for fact in daemon.facts(project=repository)] == ["we squash commits"]
