"""In how many facts words occur; counting a frequent one takes .2 ms for 16,000 facts."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

FREQUENT: Final = 500  # facts from which on a count is kept
GROWN: Final = 0.01  # share by which the facts may grow in number before they are counted anew
Count = Callable[[Iterable[str]], Mapping[str, int]]


@dataclass(slots=True)
class Frequencies:
    """Keeps the counts of frequent words as long as they are about right. Any thread may ask."""

    _kept: dict[str, tuple[int, int]] = field(default_factory=dict)  # count, last fact then

    def forget(self) -> None:
        """Facts were erased: count everything anew."""
        self._kept.clear()

    def of(self, stems: Iterable[str], last: int, count: Count) -> dict[str, int]:
        """The counts of *stems*; *last* is the highest number of a fact, *count* counts."""
        found, unknown = {}, []
        for stem in stems:
            many, then = self._kept.get(stem, (0, 0))
            if then and then <= last <= then * (1 + GROWN):
                found[stem] = many
            else:
                unknown.append(stem)
        for stem, many in (count(unknown) if unknown else {}).items():
            found[stem] = many
            if many >= FREQUENT:
                self._kept[stem] = (many, last)
        return found
