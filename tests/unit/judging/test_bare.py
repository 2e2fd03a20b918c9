"""Facts from bare texts: read as capture reads, captured by nobody."""

import pytest

from dormouse.facts import How, Slot, Trust
from dormouse.judging import as_fact


def test_a_bare_text_becomes_a_current_fact_with_its_slot() -> None:
    fact = as_fact("Der Port ist 4100", "2026-03-02", trust=Trust.TOOL, how=How.HUMAN)
    assert fact.slot == Slot("we", "port", "4100")
    assert (fact.language, fact.trust, fact.current) == ("de", Trust.TOOL, True)
    assert fact.valid_from == "2026-03-02T00:00:00.000+00:00"
    assert [source.how for source in fact.sources] == [How.HUMAN]


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="isoformat"):
        as_fact("x", "yesterday")
