"""Vectors, and the words of neighbours in a conversation: kept, in step, gone with the fact."""

from dormouse.facts import Because, Fact, Look, Scope
from dormouse.ledger import Ledger, Vector, Writer, new_id, place_keys
from tests.unit.ledger.store import EVERYTHING, day, say

MODEL = ("toy", "1")


def number(ledger: Ledger, fact: Fact) -> int:
    return next(u.nr for u in ledger.read(lambda r: r.unembedded(None, 0, 99)) if u.id == fact.id)


def embed(ledger: Ledger, *facts: Fact, model: tuple[str, str] = MODEL) -> list[int]:
    vectors = [Vector(number(ledger, fact), fact.id, fact.text.encode()) for fact in facts]
    ledger.write(lambda w: w.keep_vectors(*model, vectors)).result(10)
    return [vector.nr for vector in vectors]


def talk(ledger: Ledger, *texts: str, conversation: str = "c") -> list[Fact]:
    facts = [say(ledger, text, session=conversation) for text in texts]

    def do(w: Writer) -> None:
        for fact in facts:
            w.follow(fact, conversation)

    ledger.write(do).result(10)
    return facts


def found(ledger: Ledger, *terms: str) -> list[str]:
    return [hit.fact.text for hit in ledger.read(lambda r: r.search(terms, EVERYTHING))]


def retire(ledger: Ledger, fact: Fact) -> None:
    def do(w: Writer) -> None:
        w.retire(fact.id, because=Because.OWNER, by="owner", run_id=None)

    ledger.write(do).result(10)


def test_a_fact_waits_for_its_vector_until_it_has_one_of_this_model(ledger: Ledger) -> None:
    one, two = say(ledger, "port is 1"), say(ledger, "port is 2")
    embed(ledger, one)
    embedder = ledger.read(lambda r: r.embedder(*MODEL))
    assert [u.id for u in ledger.read(lambda r: r.unembedded(embedder, 0, 9))] == [two.id]
    assert ledger.read(lambda r: r.embedded(embedder)) == 1
    assert len(ledger.read(lambda r: r.unembedded(None, 0, 9))) == 2


def test_a_vector_is_not_kept_for_another_fact_that_has_its_number_now(ledger: Ledger) -> None:
    fact = say(ledger, "port is 1")
    vector = Vector(number(ledger, fact), new_id(), b"x")
    assert ledger.write(lambda w: w.keep_vectors(*MODEL, [vector])).result(10) == 0


def test_who_holds_vectors_is_told_of_new_retired_and_erased_facts(ledger: Ledger) -> None:
    one, two = say(ledger, "port is 1"), say(ledger, "port is 2")
    numbers = embed(ledger, one, two)
    assert ledger.read(lambda r: r.moves(0)) == numbers
    seen = ledger.read(lambda r: r.last_move())
    retire(ledger, one)
    assert ledger.read(lambda r: r.moves(seen)) == numbers[:1]
    embedder = ledger.read(lambda r: r.embedder(*MODEL)) or 0
    assert [v.retired for v in ledger.read(lambda r: r.vectors(embedder, 0, 9))] == [True, False]
    ledger.erase([two.id])
    assert ledger.read(lambda r: r.moves(seen)) == numbers
    assert [v.nr for v in ledger.read(lambda r: r.vectors(embedder, 0, 9))] == numbers[:1]


def test_erasing_counts_the_vectors_that_go_with_a_fact(ledger: Ledger) -> None:
    fact = say(ledger, "port is 1")
    embed(ledger, fact)
    assert ledger.erase([fact.id]).vectors == 1


def test_vectors_of_another_model_are_dropped_and_no_others(ledger: Ledger) -> None:
    fact = say(ledger, "port is 1")
    embed(ledger, fact)
    embed(ledger, fact, model=("toy", "2"))
    newer = ledger.read(lambda r: r.embedder("toy", "2")) or 0
    assert ledger.write(lambda w: w.drop_other_vectors(newer)).result(10) == 1
    assert ledger.read(lambda r: (r.embedded(newer), r.embedded(newer - 1))) == (1, 0)


def test_facts_by_number_are_those_that_a_look_may_see_and_that_are_current(ledger: Ledger) -> None:
    one, two = say(ledger, "port is 1"), say(ledger, "port is 2")
    numbers = embed(ledger, one, two)
    retire(ledger, one)
    assert list(ledger.read(lambda r: r.facts_by_number(numbers, EVERYTHING))) == numbers[1:]
    every = ledger.read(lambda r: r.facts_by_number(numbers, EVERYTHING, history=True))
    assert {fact.id for fact, _ in every.values()} == {one.id, two.id}


def test_a_look_has_the_keys_of_its_own_places_only() -> None:
    assert place_keys(Look()) == frozenset({"u"})
    assert place_keys(Look("p", "main", "s")) == frozenset({"u", "p p", "b p main", "s s"})
    assert place_keys(EVERYTHING) is None


def test_a_turn_is_found_by_the_words_of_those_around_it(ledger: Ledger) -> None:
    talk(ledger, "the cat sleeps", "she does that often", "indeed", "far away")
    assert sorted(found(ledger, "cat")) == ["indeed", "she does that often", "the cat sleeps"]
    say(ledger, "a statement by itself", session="c")
    assert "a statement by itself" not in found(ledger, "cat")


def test_a_conversation_ends_at_its_own_place(ledger: Ledger) -> None:
    talk(ledger, "the cat sleeps", conversation="a")
    talk(ledger, "she does that often", conversation="b")
    assert found(ledger, "cat") == ["the cat sleeps"]


def test_a_retired_neighbour_takes_its_words_along_and_a_restored_one_brings_them(
    ledger: Ledger,
) -> None:
    first, _ = talk(ledger, "the cat sleeps", "she does that often")
    retire(ledger, first)
    assert found(ledger, "cat") == []
    ledger.write(lambda w: w.restore(first.id, by="owner")).result(10)
    assert found(ledger, "cat") == ["the cat sleeps", "she does that often"]


def test_an_erased_neighbour_leaves_no_word_behind(ledger: Ledger) -> None:
    talk(ledger, "the cat sleeps", "and the dog", "she does that often")
    first = ledger.read(lambda r: r.search(["sleeps"], EVERYTHING))[0].fact
    ledger.erase([first.id])
    assert found(ledger, "sleeps") == found(ledger, "cat") == []
    assert found(ledger, "dog") == ["and the dog", "she does that often"]
    assert ledger.integrity() == []


def test_whether_there_is_anything_to_look_at_is_known_for_each_view(ledger: Ledger) -> None:
    there, elsewhere = Look("p"), Look("q")
    fact = say(ledger, "port is 1", scope=Scope.PROJECT, project_id="p")
    assert ledger.read(lambda r: (r.has_facts(there), r.has_facts(elsewhere))) == (True, False)
    retire(ledger, fact)
    assert not ledger.read(lambda r: r.has_facts(there))
    assert ledger.read(lambda r: r.has_facts(there, retired=True))


def test_by_number_too_a_fact_is_there_as_of_a_time_at_which_it_held(ledger: Ledger) -> None:
    fact = say(ledger, "port is 1", day("02-01"))
    numbers = embed(ledger, fact)
    retire(ledger, fact)

    def there(at: str) -> bool:
        return bool(ledger.read(lambda r: r.facts_by_number(numbers, EVERYTHING, as_of=at)))

    assert [there(day(at)) for at in ("01-15", "03-01", "12-01")] == [False, True, False]


def test_a_stem_is_counted_in_the_facts_that_say_it_not_in_their_neighbours(
    ledger: Ledger,
) -> None:
    talk(ledger, "the cat sleeps", "she does that often", "cats again")
    assert ledger.read(lambda r: r.occurrences(["cat", "sleep", "dog", "\0", ""])) == {
        "cat": 2, "sleep": 1, "dog": 0, "\0": 0, "": 0,
    }  # fmt: skip
