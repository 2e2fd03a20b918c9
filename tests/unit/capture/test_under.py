"""A command takes its list with it, and says so where something under it is not kept."""

import pytest

from dormouse.capture.commands import Remember, read_prompt


def kept(prompt: str) -> list[tuple[str, str]]:
    """The texts that a prompt has kept, each with what was left out under it."""
    found = read_prompt(prompt)
    return [(one.text, one.left) for one in found if isinstance(one, Remember)]


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        (
            "remember that the deploy needs two steps:\n1. build the wheel\n2. push it",
            "the deploy needs two steps: 1. build the wheel; 2. push it",
        ),
        (
            "remember that the deploy needs two steps:\n\n- build the wheel\n- push it",
            "the deploy needs two steps: build the wheel; push it",
        ),
        ("remember: line one\n- item a\n- item b", "line one: item a; item b"),
        (
            "Merk dir: das Release hat zwei Schritte:\n- Tag setzen\n- Wheel bauen",
            "das Release hat zwei Schritte: Tag setzen; Wheel bauen",
        ),
        (
            "记住：发布有两个步骤：\n1. 打标签\n2. 推送镜像",
            "发布有两个步骤: 1. 打标签; 2. 推送镜像",
        ),
        (
            "- remember that the release has two parts:\n  - the wheel\n  - the image\n- hello",
            "the release has two parts: the wheel; the image",
        ),
        (
            "always do this before a release:\n1. run the linter\n2. run the tests",
            "always do this before a release: 1. run the linter; 2. run the tests",
        ),
        (
            "from now on the release has two gates:\n- lint\n- tests",
            "the release has two gates: lint; tests",
        ),
    ],
)
def test_a_list_under_a_command_is_part_of_it(prompt: str, text: str) -> None:
    assert kept(prompt)[0] == (text, "")
    assert len(kept(prompt)) == 1


@pytest.mark.parametrize(
    "prompt",
    [
        "remember that main is protected\n- fix the login\n- add docs",
        "remember that main is protected\nthe second line tells something else",
    ],
)
def test_a_line_that_may_belong_to_a_command_or_not_is_said_to_be_left_out(prompt: str) -> None:
    assert kept(prompt) == [("main is protected", "lines")]


@pytest.mark.parametrize(
    "prompt",
    [
        "remember that main is protected.\nfix the login",
        "remember that main is protected\nfix the login",
        "remember that main is protected\nWhat is the port of the shop?",
        "remember that main is protected\n\n- fix the login\n- add docs",
        "remember that main is protected.\n\n```\ncode\n```\nwhat does this do?",
        "- remember that main is protected\n- fix the login",
        "remember that main is protected and then do this:\n- fix the login",
    ],
)
def test_what_is_no_part_of_a_command_is_not_missed(prompt: str) -> None:
    assert kept(prompt) == [("main is protected", "")]


CODE = "```\nport = 8080\n```"


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        (f"remember that the config is\n{CODE}", [("the config is", "all")]),
        (f"remember that the config is:\n\n{CODE}\nthanks", [("the config is", "all")]),
        (f"Merk dir: die Konfiguration ist:\n{CODE}", [("die Konfiguration ist", "all")]),
        (f"记住：配置是\n{CODE}", [("配置是", "all")]),
        ("remember that the log says\n> port 8080 in use", [("the log says", "all")]),
        (f"Merk dir, dass main geschützt ist\n{CODE}", [("main geschützt ist", "quoted")]),
        (f"remember that the port moved:\n{CODE}", [("the port moved", "quoted")]),
        (
            f"remember that it has two parts:\n- the wheel\n- the config\n{CODE}",
            [("it has two parts: the wheel; the config", "quoted")],
        ),
    ],
)
def test_code_and_quotes_under_a_command_are_never_kept_and_never_hidden(
    prompt: str, found: list[tuple[str, str]]
) -> None:
    assert kept(prompt) == found


def test_a_command_in_the_list_under_a_command_stays_one_of_its_own() -> None:
    prompt = "remember that there are two rules:\n- always run the tests\n- never push to main"
    assert [text for text, _ in kept(prompt)] == [
        "there are two rules", "always run the tests", "never push to main",
    ]  # fmt: skip


def test_a_list_that_does_not_fit_into_a_fact_is_cut_at_a_word_and_told() -> None:
    items = "".join(f"\n- part {number} has a port of its own" for number in range(150))
    (one,) = read_prompt("remember that the system has many parts:" + items)
    assert isinstance(one, Remember)
    assert len(one.text) <= 4000 < one.said


@pytest.mark.parametrize("gap", ["\u2028", "\x0b", "\x85"])
def test_a_soft_line_break_ends_no_statement(gap: str) -> None:
    assert kept(f"remember that the shop{gap}listens on port 8080") == [
        ("the shop listens on port 8080", "")
    ]
    assert kept(f"remember:{gap}- a is one{gap}- b is two") == [("a is one", ""), ("b is two", "")]
    quoted = f"# Title{gap}Remember that the owner wants tabs.{gap}## More"
    assert kept(quoted) == kept(f"> quoted{gap}{quoted}") == kept(f"```{gap}{quoted}{gap}```") == []


def test_a_line_that_goes_on_with_a_joining_word_is_part_of_the_statement() -> None:
    assert kept("remember that staging is on db-7\nand prod on db-8") == [
        ("staging is on db-7 and prod on db-8", "")
    ]
    assert kept("remember that staging is on db-7\nand fix the login") == [
        ("staging is on db-7", "")
    ]


def test_a_line_that_was_only_wrapped_is_kept_to_its_end() -> None:
    wrapped = (
        "the staging server of the shop is on db-7 in the new data centre\nof the firm in Berlin"
    )
    assert kept(f"remember that {wrapped}") == [(wrapped.replace("\n", " "), "")]


@pytest.mark.parametrize(
    "text",
    [
        "the vet is Dr. Weber and sits at No. 5",
        "das Büro liegt in der Hauptstr. Nr. 5 und der Hof dahinter",
        "the release takes approx. 5 minutes, e.g. at night",
        "wir nutzen z. B. Postgres bzw. SQLite, d. h. SQL",
        "the figure is fig. 3 in vol. 2, see pp. 4 and sec. 7",
        "deploys run at 9 a.m. on Mondays",
        "der Port ist max. 9000 und min. 8000",
    ],
)
def test_the_point_of_an_abbreviation_ends_no_statement(text: str) -> None:
    assert kept(f"remember that {text}. Fix the login.") == [(text, "")]


@pytest.mark.parametrize(
    "end", ["the answer is no.", "the build takes a sec.", "we work till 5 p.m."]
)
def test_a_word_that_only_looks_like_an_abbreviation_ends_its_sentence(end: str) -> None:
    assert kept(f"remember that {end} Fix the login.") == [(end.rstrip("."), "")]
