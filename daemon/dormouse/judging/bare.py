"""Facts from bare texts, for trying a judge out. Nothing made here is ever captured."""

from dormouse.capture.language import detect
from dormouse.facts import Fact, How, Kind, Layer, Scope, Source, Trust
from dormouse.slots import read
from dormouse.times import parse, stamp


def as_fact(
    text: str,
    at: str,
    *,
    id: str = "bare",
    trust: Trust = Trust.USER,
    how: How = How.IMPLICIT,
) -> Fact:
    """Make a fact of *text*, said at *at* (ISO 8601; raises ValueError), with its slot read.

    *how* IMPLICIT means: two texts of one day that conflict without a word of change stay unsure.
    """
    when = stamp(parse(at))
    statement = read(text)
    return Fact(
        id=id,
        text=text,
        kind=Kind.PROJECT,
        layer=Layer.SEMANTIC,
        scope=Scope.USER,
        project_id=None,
        project_name=None,
        branch=None,
        session_id=None,
        slot=statement.slot,
        language=detect(text),
        trust=trust,
        confidence=0.99,
        importance=0.5,
        weight=0.0,
        pinned=False,
        stated_at=when,
        captured_at=when,
        valid_from=when,
        valid_to=None,
        retired_at=None,
        retired_because=None,
        superseded_by=None,
        sources=(Source(None, None, None, how, when),),
    )
