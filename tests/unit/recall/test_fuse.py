"""Words and meaning together: either may carry a hit, neither shows what fits badly."""

from dormouse.recall.fuse import FLOOR, THRESHOLD, Sense, fit, orders
from dormouse.recall.rank import Ranked, rank
from tests.unit.recall.support import LOOK, TODAY, Hit, fact, found

HOST = fact("host", "production runs on Kubernetes in eu-central-1")
MAIL = fact("mail", "mail goes out through Postmark")


def ranked(sense: Sense | None, *, host: float = 0.0, floor: float = FLOOR) -> list[Ranked]:
    hits = [Hit(HOST, host), Hit(MAIL, 0.0)]
    return rank(hits, ["cloud"], LOOK, TODAY, floor=floor, sense=sense)


def test_a_fact_that_shares_no_word_is_found_by_its_meaning() -> None:
    sense = Sense({"host": (0.5, 0.1), "mail": (-0.3, 0.1)}, aside=0.1)
    assert found(ranked(sense)) == ["host"]
    assert found(ranked(None)) == []


def test_a_prompt_like_those_that_no_memory_answers_is_met_with_silence() -> None:
    cosines = {"host": (0.3, 0.1), "mail": (0.2, 0.1)}
    assert found(ranked(Sense(cosines, aside=0.2)))
    assert found(ranked(Sense(cosines, aside=0.5))) == []


def test_a_fact_that_attracts_whatever_is_asked_needs_more() -> None:
    assert found(ranked(Sense({"host": (0.25, 0.1)}, aside=0.2)))
    assert found(ranked(Sense({"host": (0.25, 0.6)}, aside=0.2))) == []


def test_the_threshold_of_evidence_is_the_floor() -> None:
    assert abs(fit(0.0, THRESHOLD, 0.0, 0.0) - FLOOR) < 1e-9
    assert fit(0.0, THRESHOLD - 0.01, 0.0, 0.0) < FLOOR < fit(0.0, THRESHOLD + 0.01, 0.0, 0.0)
    assert fit(0.0, -9.0, 9.0, 9.0) >= 0.0 and fit(1.0, 9.0, 0.0, 0.0) <= 1.0


def test_floor_zero_shows_everything_that_a_leg_found() -> None:
    sense = Sense({"host": (-0.5, 0.9), "mail": (-0.6, 0.9)}, aside=0.9)
    assert found(ranked(sense, floor=0.0)) == ["host", "mail"]


def test_a_fact_that_has_no_vector_yet_stands_by_its_words() -> None:
    hits = [Hit(HOST, 3.0), Hit(MAIL, 0.0)]
    sense = Sense({"mail": (0.1, 0.0)}, aside=0.3)
    only = rank(hits, ["kubernetes", "production"], LOOK, TODAY, sense=sense)
    assert found(only) == ["host"]
    assert only[0].why["found_by"] == "words"


def test_the_best_by_words_counts_less_where_even_it_fits_badly() -> None:
    strong = orders([2.0, 0.0], 0.9, [0.0, 0.3])
    weak = orders([2.0, 0.0], 0.1, [0.0, 0.3])
    assert strong[0] > strong[1] and weak[0] < weak[1]


def test_orders_are_shares_between_nothing_and_one() -> None:
    assert orders([], 0.0, []) == []
    assert orders([0.0], 0.0, [0.4]) == [orders([0.0], 0.0, [0.9])[0]]
    assert all(0.0 <= each <= 1.0 for each in orders([3.0, 1.0], 2.0, [0.9, -0.9]))


def test_turns_of_a_conversation_are_ordered_by_what_stands_around_them_too() -> None:
    turns = [Hit(HOST, 1.0, in_conversation=True), Hit(MAIL, 4.0, in_conversation=True)]
    terms = ["kubernetes", "production"]
    assert found(rank(turns, terms, LOOK, TODAY, floor=0.0)) == ["mail", "host"]
    alone = [Hit(HOST, 1.0), Hit(MAIL, 4.0)]
    assert found(rank(alone, terms, LOOK, TODAY, floor=0.0)) == ["host", "mail"]


def test_why_names_the_leg_and_what_it_says() -> None:
    sense = Sense({"host": (0.5, 0.1)}, aside=0.1)
    why = ranked(sense, host=1.0)[0].why
    assert why["found_by"] == "words and meaning"
    assert why["meaning"] == 0.5
    assert str(why["shown_because"]).startswith("words and meaning together reach 0.")
