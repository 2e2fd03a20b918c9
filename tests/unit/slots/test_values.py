"""Values: one form for one meaning, and no difference claimed that may be only a spelling."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dormouse.slots import values
from dormouse.slots.values import Difference, compare


@pytest.mark.parametrize(
    ("kind", "a", "b", "expected"),
    [
        ("ip", "10.0.0.5", "10.0.0.9", Difference.OTHER),
        ("ip", "10.0.0.5", "10.0.0.5:8443", Difference.UNCLEAR),
        ("host", "stage-02", "stage-02.intern", Difference.UNCLEAR),
        ("version", "3.11", "3.12", Difference.OTHER),
        ("version", "3.11", "3.11.4", Difference.UNCLEAR),
        ("version", "3.1", "3.11", Difference.OTHER),
        ("path", "services/api", "apps/api", Difference.OTHER),
        ("path", "services", "services/api", Difference.UNCLEAR),
        ("path", "api", "services/api", Difference.UNCLEAR),
        ("num", "8080", "9090", Difference.OTHER),
        ("num", "2", "2.0", Difference.SAME),
        ("qty", "30 time", "30 time", Difference.SAME),
        ("qty", "30 time", "30 bytes", Difference.UNCLEAR),
        ("qty", "2147483648 bytes", "2000000000 bytes", Difference.OTHER),
        ("qty", "2147483648 bytes", "2097152000 bytes", Difference.UNCLEAR),
        ("qty", "31536000 time", "31104000 time", Difference.UNCLEAR),
        ("qty", "30 time", "31 time", Difference.OTHER),
        ("tool", "npm", "pnpm", Difference.OTHER),
    ],
)
def test_values_differ_only_where_neither_may_be_a_part_of_the_other(
    kind: str, a: str, b: str, expected: object
) -> None:
    assert compare(kind, a, b) is expected
    assert compare(kind, b, a) is expected


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("liz", "elizabeth"),
        ("bob", "robert"),
        ("kofi", "kofi mensah"),
        ("em", "elena moretti"),
        ("李雷", "li lei"),
        ("mara", "maria"),
        ("north", "team north"),
    ],
)
def test_a_name_that_may_be_short_for_the_other_is_no_other_name(a: str, b: str) -> None:
    assert compare("name", a, b) is not Difference.OTHER
    assert compare("name", b, a) is not Difference.OTHER


@pytest.mark.parametrize(
    ("a", "b"), [("kofi", "mara"), ("team north", "team south"), ("北组", "南组")]
)
def test_two_names_of_two_people_differ(a: str, b: str) -> None:
    assert compare("name", a, b) is Difference.OTHER


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("8080", "en", ("num", "8080")),
        ("1,000", "en", ("num", "1000")),
        ("1.000", "de", ("num", "1000")),
        ("1.000", "en", None),
        ("1,5", "de", ("num", "1.5")),
        ("10k", "en", ("num", "10000")),
        ("v2", "en", ("version", "2")),
        ("1.2.3", "en", ("version", "1.2.3")),
        ("2.x", "en", ("version", "2.x")),
        ("30s", "en", ("qty", "30 time")),
        ("2gb", "en", ("qty", "2147483648 bytes")),
        ("3pm", "en", ("time", "15:00")),
        ("3rd", "en", None),
        ("5-10", "en", None),
    ],
)
def test_a_number_is_read_in_its_language_or_not_at_all(
    text: str, language: str, expected: object
) -> None:
    assert values.number(text, language) == expected


def test_a_quantity_is_the_same_in_every_unit_of_its_kind() -> None:
    assert values.quantity("30", "s") == values.quantity("30000", "ms")
    assert values.quantity("2", "gb") == values.quantity("2048", "mb")
    assert values.quantity("3", "parsec") is None


@pytest.mark.parametrize(
    ("hours", "half", "expected"),
    [("3", "pm", "15:00"), ("12", "am", "00:00"), ("12", "pm", "12:00"), ("9", "", "09:00")],
)
def test_a_time_of_day_has_one_form(hours: str, half: str, expected: object) -> None:
    assert values.clock(hours, "00", half) == expected


def test_one_address_has_one_form() -> None:
    assert values.address("https://example.com/") == "example.com"
    assert values.address("127.0.0.1:80") == "localhost:80"
    assert values.path("./services/api/") == "services/api"
    assert values.path("/") == "/"


@pytest.mark.parametrize(
    ("word", "expected"),
    [("stage.intern", "host"), ("package.json", "path"), ("node.js", "path"), ("e.g", None)],
)
def test_a_word_with_dots_is_a_host_or_a_file_or_neither(word: str, expected: object) -> None:
    assert values.dotted(word) == expected


def test_cloud_regions_are_known_by_their_shape() -> None:
    assert values.is_region("eu-west-1")
    assert values.is_region("europe-west1")
    assert not values.is_region("north-team")


_KINDS = st.sampled_from(["ip", "host", "url", "path", "version", "tool", "name", "weekday"])


@given(_KINDS, st.text(max_size=20), st.text(max_size=20))
def test_comparing_is_symmetric_and_a_value_equals_itself(kind: str, a: str, b: str) -> None:
    assert compare(kind, a, a) is Difference.SAME
    assert (compare(kind, a, b) is Difference.OTHER) == (compare(kind, b, a) is Difference.OTHER)
