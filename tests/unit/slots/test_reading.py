"""Reading: the same slot in every language, nothing guessed, nothing dropped that has meaning."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dormouse.facts import Slot
from dormouse.slots import Single, Statement, read
from dormouse.slots.lexicon import words


@pytest.mark.parametrize(
    ("text", "slot"),
    [
        ("the staging server is at 10.0.0.5", Slot("staging", "address", "10.0.0.5")),
        ("staging moved to 10.0.0.9", Slot("staging", "address", "10.0.0.9")),
        ("Staging moved; its new address is 10.0.0.9", Slot("staging", "address", "10.0.0.9")),
        ("der Staging-Server ist 10.0.0.5", Slot("staging", "address", "10.0.0.5")),
        ("预发布服务器改成了 10.0.0.9", Slot("staging", "address", "10.0.0.9")),
        ("deploys happen on Thursdays", Slot("deploy", "day", "thursday")),
        ("Wir deployen jetzt dienstags", Slot("deploy", "day", "tuesday")),
        ("Unser Deploytag ist Donnerstag", Slot("deploy", "day", "thursday")),
        ("部署改到每周二了", Slot("deploy", "day", "tuesday")),
        ("we use npm", Slot("we", "package-manager-js", "npm")),
        ("项目已改用 pnpm 作为包管理器", Slot("we", "package-manager-js", "pnpm")),
        ("tests run with Jest", Slot("we", "test-runner-js", "jest")),
        ("The frontend is built with webpack", Slot("frontend", "bundler", "webpack")),
        ("前端现在用 Vite 打包", Slot("frontend", "bundler", "vite")),
        ("Code is formatted with ruff", Slot("we", "formatter-py", "ruff")),
        ("We lint with ruff", Slot("we", "linter-py", "ruff")),
        ("port is 4100", Slot("we", "port", "4100")),
        ("The API listens on port 8080", Slot("api", "port", "8080")),
        ("接口端口改为 8081 了", Slot("api", "port", "8081")),
        ("we are on Python 3.12", Slot("python", "version", "3.12")),
        ("default branch is master", Slot("we", "default-branch", "master")),
        ("Der Hauptbranch heißt jetzt main", Slot("we", "default-branch", "main")),
        ("the API lives in services/api", Slot("api", "path", "services/api")),
        ("on-call is team North", Slot("we", "on-call", "team north")),
        ("Kofi is the on-call", Slot("we", "on-call", "kofi")),
        ("值班现在是南组", Slot("we", "on-call", "南组")),
        ("Wei leads the infra team", Slot("infra team", "lead", "wei")),
        ("The infra team's lead is Wei", Slot("infra team", "lead", "wei")),
        ("The standup is at 3 pm", Slot("standup", "time", "15:00")),
        ("周会在周三下午三点", Slot("wednesday weekly-meeting", "time", "15:00")),
        ("The request timeout is 30000 ms", Slot("request", "timeout", "30 time")),
        ("Answer in English", Slot("answer", "language", "english")),
        ("I prefer tabs", Slot("user", "preferred indentation", "tabs")),
        ("Python 3.8 is no longer supported", None),
        ("the weather is nice", Slot()),
        ("", Slot()),
    ],
)
def test_a_statement_has_one_slot_whatever_its_words_and_language(
    text: str, slot: Slot | None
) -> None:
    if slot is not None:
        assert read(text).slot == slot


@pytest.mark.parametrize(
    ("text", "qualifier"),
    [
        ("the staging server is at 10.0.0.5", ("environment", "staging")),
        ("生产服务器是 10.0.0.9", ("environment", "production")),
        ("On Windows the cache is in C:/cache", ("os", "windows")),
        ("EU customers pay 20 %", ("region", "eu")),
        ("The free tier has a limit of 100 requests", ("tier", "free")),
        ("On branch release/2.x we use npm", ("branch", "release/2.x")),
        ("We use Redis for caching", ("purpose", "cache")),
        ("我们用 Redis 做缓存", ("purpose", "cache")),
    ],
)
def test_where_a_statement_holds_is_read_from_its_text(
    text: str, qualifier: tuple[str, str]
) -> None:
    assert qualifier in read(text).qualifiers


@pytest.mark.parametrize(
    ("text", "old", "value"),
    [
        ("not 8080, it's 9090", "8080", "9090"),
        ("the port is 9090, not 8080", "8080", "9090"),
        ("Nein, nicht 8080, sondern 9090", "8080", "9090"),
        ("不是 8080，是 9090", "8080", "9090"),
        ("we switched from yarn to pnpm", "yarn", "pnpm"),
        ("we use pnpm instead of yarn", "yarn", "pnpm"),
        ("We replaced Terraform with Pulumi", "terraform", "pulumi"),
        ("Terraform was replaced by Pulumi", "terraform", "pulumi"),
        ("Ruff replaced black", "black", "ruff"),
        ("Jest wurde durch Vitest ersetzt", "jest", "vitest"),
        ("我们从 yarn 换成了 pnpm", "yarn", "pnpm"),
        ("Mara took over the on-call from Kofi", "kofi", "mara"),
    ],
)
def test_a_change_may_name_the_old_value(text: str, old: str, value: str) -> None:
    statement = read(text)
    assert (statement.old, statement.slot.value) == (old, value)
    assert statement.moved


@pytest.mark.parametrize(
    "text",
    [
        "we no longer use Redis",
        "we don't use Redis anymore",
        "wir nutzen kein Redis mehr",
        "不再使用 Redis",
        "我们停用了 Redis",
        "We dropped Redis",
    ],
)
def test_an_end_is_read_with_what_it_ends(text: str) -> None:
    statement = read(text)
    assert statement.ends
    assert statement.slot == Slot("we", "use", "redis")


@pytest.mark.parametrize(
    "text", ["it is at 10.0.0.9 now", "They deploy on Tuesdays now", "它是 8080"]
)
def test_a_pronoun_without_anything_before_it_has_no_subject(text: str) -> None:
    assert read(text).slot.subject is None


@pytest.mark.parametrize(
    "text",
    [
        "we also use Kafka",
        "wir nutzen auch Teams",
        "我们也用飞书",
        "The API supports XML as well",
        "Ben was added as a reviewer",
        "we use Storybook",
    ],
)
def test_an_addition_and_a_mere_use_can_stand_beside_others(text: str) -> None:
    assert read(text).multi_valued


@pytest.mark.parametrize(
    ("text", "single"),
    [
        ("the port is 8080", Single.FIRM),
        ("we deploy on Thursdays", Single.HABIT),
        ("we deploy on Thursday", Single.NEVER),
        ("deploy day is Thursday", Single.FIRM),
        ("we use Postgres", Single.LOOSE),
        ("our database is Postgres", Single.FIRM),
        ("a database is Postgres", Single.NEVER),
        ("we use Jest and Vitest", Single.NEVER),
        ("the tests are in tests/unit", Single.CUED),
        ("a staging server is at 10.0.0.9", Single.NEVER),
        ("Der Leiter ist Arzt", Single.CUED),
    ],
)
def test_how_single_an_attribute_is_depends_on_what_people_have_several_of(
    text: str, single: Single
) -> None:
    assert read(text).single is single


def test_a_long_text_has_no_slot_but_keeps_its_modality() -> None:
    text = "the staging server is at 10.0.0.5 " * 40
    assert read(text).slot == Slot()
    assert read("We plan this. " + text).modality.value == "plan"


def test_several_sentences_are_read_only_where_the_others_say_nothing() -> None:
    assert read("Answer keep. The port is 9090.").slot.value == "9090"
    assert read("On the demo box it differs. The port is 9090.").slot.value is None
    assert read("The port is 9090. The timeout is 5 s.").slot.value is None
    assert not read("Answer keep. The port is 9090.").whole


def test_the_words_of_a_statement_stay_out_of_its_repr() -> None:
    assert "10.0.0.5" not in repr(read("the staging server is at 10.0.0.5"))


_ODD = st.text(st.characters(codec=None, categories=None), max_size=400)
_PIECES = sorted(
    words(
        "the staging server is at 10.0.0.5 not now from to 8080 9090 we use npm pnpm instead of "
        "it and for caching , . ? 不是 现在 改成 端口 wir nutzen nicht mehr kein sondern Redis "
        "on-call Kofi Mara called renamed replaced v2 3.11 -> : = / ' \" 周四 点 三"
    )
)
_WORDY = st.lists(
    st.sampled_from(_PIECES),
    max_size=25,
).map(" ".join)


@given(_ODD | _WORDY)
@settings(max_examples=400)
def test_reading_is_total_and_deterministic(text: str) -> None:
    first = read.__wrapped__(text)
    assert isinstance(first, Statement)
    assert first == read.__wrapped__(text)


@given(_WORDY)
@settings(max_examples=200)
def test_slots_never_hold_an_empty_string(text: str) -> None:
    slot = read(text).slot
    assert "" not in (slot.subject, slot.attribute, slot.value)


def test_reading_takes_less_than_a_millisecond() -> None:
    texts = [
        f"The staging server {n} is now at 10.0.0.{n % 250}, not 10.0.1.{n}" for n in range(300)
    ]
    start = time.process_time()
    for text in texts:
        read.__wrapped__(text)
    assert (time.process_time() - start) / len(texts) < 0.001


@pytest.mark.parametrize(
    "piece", ["a.", "-", "a/", "n't ", "since ", "wird ", '"a b ', "每", "1", "\x00"]
)
def test_no_text_makes_reading_slow(piece: str) -> None:
    text = (piece * 4000)[:4000]
    start = time.process_time()
    read.__wrapped__(text)
    assert time.process_time() - start < 0.1
