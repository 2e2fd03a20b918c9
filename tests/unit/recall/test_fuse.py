"""Words and meaning together: either may carry a hit, neither shows what fits badly."""

from dormouse.recall.fuse import FLOOR, THRESHOLD, Sense, fit, in_talk, orders
from dormouse.recall.rank import Ranked, rank
from tests.unit.recall.support import LOOK, TODAY, Hit, fact, found

HOST = fact("host", "production runs on Kubernetes in eu-central-1")
MAIL = fact("mail", "mail goes out through Postmark")


def ranked(sense: Sense | None, *, host: float = 0.0, floor: float = FLOOR) -> list[Ranked]:
    hits = [Hit(HOST, host), Hit(MAIL, 0.0)]
    return rank(hits, ["cloud"], LOOK, TODAY, floor=floor, sense=sense)


def test_a_fact_that_shares_no_word_is_found_by_its_meaning() -> None:
    sense = Sense({"host": (0.5, 0.1), "mail": (-0.3, 0.1)}, lean=0.1)
    assert found(ranked(sense)) == ["host"]
    assert found(ranked(None)) == []


def test_a_prompt_like_those_that_no_memory_answers_is_met_with_silence() -> None:
    cosines = {"host": (0.3, 0.1), "mail": (0.2, 0.1)}
    assert found(ranked(Sense(cosines, lean=0.1)))
    assert found(ranked(Sense(cosines, lean=-0.2))) == []


def test_a_fact_that_falls_a_little_short_is_shown_beside_one_that_does_not() -> None:
    short = {"mail": (THRESHOLD - 0.05, 0.0)}
    assert found(ranked(Sense(short, lean=0.0))) == []
    assert found(ranked(Sense({"host": (THRESHOLD + 0.1, 0.0)} | short, lean=0.0))) == [
        "host",
        "mail",
    ]


def test_why_says_that_a_fact_stands_beside_a_better_one() -> None:
    cosines = {"host": (THRESHOLD + 0.1, 0.0), "mail": (THRESHOLD - 0.05, 0.0)}
    _, second = ranked(Sense(cosines, lean=0.0))
    assert "beside a better one" in str(second.why["shown_because"])


def test_a_fact_that_attracts_whatever_is_asked_needs_more() -> None:
    assert found(ranked(Sense({"host": (0.25, 0.1)}, lean=0.1)))
    assert found(ranked(Sense({"host": (0.25, 0.6)}, lean=0.1))) == []


def test_the_threshold_of_evidence_is_the_floor() -> None:
    assert abs(fit(0.0, THRESHOLD, 0.0, 0.0) - FLOOR) < 1e-9
    assert fit(0.0, THRESHOLD - 0.01, 0.0, 0.0) < FLOOR < fit(0.0, THRESHOLD + 0.01, 0.0, 0.0)
    assert fit(0.0, -9.0, 9.0, -9.0) >= 0.0 and fit(1.0, 9.0, 0.0, 9.0) <= 1.0


def test_floor_zero_shows_everything_that_a_leg_found() -> None:
    sense = Sense({"host": (-0.5, 0.9), "mail": (-0.6, 0.9)}, lean=-0.9)
    assert found(ranked(sense, floor=0.0)) == ["host", "mail"]


def test_a_fact_that_has_no_vector_yet_stands_by_its_words() -> None:
    hits = [Hit(HOST, 3.0), Hit(MAIL, 0.0)]
    sense = Sense({"mail": (0.1, 0.0)}, lean=-0.1)
    only = rank(hits, ["kubernetes", "production"], LOOK, TODAY, sense=sense)
    assert found(only) == ["host"]
    assert only[0].why["found_by"] == "words"


def test_the_best_by_words_counts_less_where_even_it_fits_badly() -> None:
    strong = orders([2.0, 0.0], 0.9, [0.0, 0.3])
    weak = orders([2.0, 0.0], 0.1, [0.0, 0.3])
    assert strong[0] > weak[0] and strong[1] == weak[1]


def test_orders_are_shares_between_nothing_and_one() -> None:
    assert orders([], 0.0, []) == []
    assert orders([0.0], 0.0, [0.4]) == [orders([0.0], 0.0, [0.9])[0]]
    assert all(0.0 <= each <= 1.0 for each in orders([3.0, 1.0], 2.0, [0.9, -0.9]))


def test_turns_of_a_conversation_are_ordered_by_what_stands_around_them_too() -> None:
    turns = [Hit(HOST, 1.0, turn=("c", 1)), Hit(MAIL, 4.0, turn=("c", 9))]
    terms = ["kubernetes", "production"]
    assert found(rank(turns, terms, LOOK, TODAY, floor=0.0)) == ["mail", "host"]
    alone = [Hit(HOST, 1.0), Hit(MAIL, 4.0)]
    assert found(rank(alone, terms, LOOK, TODAY, floor=0.0)) == ["host", "mail"]


def test_a_turn_beside_one_that_answers_well_stands_higher() -> None:
    turns = [("c", 1), ("c", 2), ("c", 9), None]
    raised = in_talk([0.8, 0.3, 0.4, 0.4], turns, [False] * 4)
    assert raised[1] > raised[2] == raised[3]


def test_a_turn_of_the_speaker_that_the_prompt_names_stands_higher() -> None:
    maria = fact("maria", "Maria (8 May): I went hiking on Sunday")
    jonas = fact("jonas", "Jonas (8 May): I went hiking on Sunday, and Maria stayed at home")
    hits = [Hit(jonas, 1.0, turn=("c", 1)), Hit(maria, 1.0, turn=("c", 5))]
    terms = ["maria", "hiking"]
    assert found(rank(hits, terms, LOOK, TODAY, floor=0.0)) == ["maria", "jonas"]


def test_what_is_no_turn_keeps_its_place() -> None:
    assert in_talk([0.7, 0.2], [None, None], [False, False]) == [0.7, 0.2]


def test_why_names_the_leg_and_what_it_says() -> None:
    sense = Sense({"host": (0.5, 0.1)}, lean=0.1)
    why = ranked(sense, host=1.0)[0].why
    assert why["found_by"] == "words and meaning"
    assert why["meaning"] == 0.5
    assert str(why["shown_because"]).startswith("words and meaning together reach 0.")
