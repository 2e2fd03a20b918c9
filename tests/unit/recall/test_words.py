"""Words: every spelling of a word finds it, small talk finds nothing."""

import re
import sqlite3
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dormouse.recall.folding import fold, second_form
from dormouse.recall.segments import JOINER, pieces
from dormouse.recall.stem import porter
from dormouse.recall.words import (
    LONGEST,
    family,
    gist,
    index_text,
    language,
    prune,
    query_terms,
    spoken,
)
from tests.unit.recall.support import SLOW_IS_FINE, Store, fact, found, store_of

MANY_SCRIPTS = {
    "ja": "発行番号の検証は夜間バッチで実行する",
    "zh": "构建服务器使用缓存目录",
    "ko": "배포스크립트는 금요일에 실행하지 않는다",
    "de": "Die Prüfsumme der Größentabelle liegt im Schlüsselbund",
    "mixed": "导出csv-vat之后重建索引",
}
ASKED = [
    ("検証", "ja"),
    ("夜間バッチ", "ja"),
    ("缓存", "zh"),
    ("스크립트", "ko"),
    ("Prüfsumme", "de"),
    ("Prufsumme", "de"),
    ("PRÜFSUMME", "de"),
    ("Pru\u0308fsumme", "de"),
    ("Groessentabelle", "de"),
    ("vat", "mixed"),
]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("query", "id"), ASKED)
def test_each_word_of_the_many_scripts_finds_its_fact_first(query: str, id: str, form: str) -> None:
    texts = {key: unicodedata.normalize(form, text) for key, text in MANY_SCRIPTS.items()}  # type: ignore[arg-type]
    store = store_of(texts, crowd=300)
    assert found(store.recall(query))[:1] == [id]
    assert found(store.recall(unicodedata.normalize("NFD", query)))[:1] == [id]


@pytest.mark.parametrize("query", ["猫舌", "Zeppelin", "Größenwahn", "バス", "옵션"])
def test_a_word_that_is_in_no_fact_finds_nothing(query: str) -> None:
    store = store_of(MANY_SCRIPTS)
    assert store.recall(query, floor=0.0, explicit=True) == []


def test_composed_and_decomposed_text_have_the_same_tokens() -> None:
    for text in MANY_SCRIPTS.values():
        assert index_text(unicodedata.normalize("NFD", text)) == index_text(text)


@pytest.mark.parametrize(
    ("stored", "query"),
    [
        ("the staging server is at 10.0.0.5", "10.0.0.5"),
        ("staging listens on 10.0.0.5:8080", "10.0.0.5"),
        ("staging listens on 10.0.0.5:8080", "8080"),
        ("The API lives in services/api", "services/api"),
        ("The API lives in services/api.", "`services/api`"),
        ("see services/api/src/router.go", "router.go"),
        ("see services/api/src/router.go", "router"),
        ("set fooBar before the start", "fooBar"),
        ("set fooBar before the start", "foobar"),
        ("set fooBar before the start", "foo_bar"),
        ("set snake_case_name to 1", "snake_case_name"),
        ("pinned to v1.2.3", "1.2.3"),
        ("pinned to 1.2.3", "1.2.3"),
        ("we are on Python3.11", "python"),
        ("we are on Python 3.11", "Python3.11"),
        ("I'm the on-call this month", "oncall"),
        ("the oncall phone is in the safe", "on-call"),
        ("GitHub hosts the code", "github"),
        ("the parser is written in C++", "c++"),
        ("the client is written in C#", "C#"),
        ("write to ops@example.com", "ops@example.com"),
        ("buckets are in eu-central-1", "eu-central-1"),
        ("run k8s locally with kind", "k8s"),
        ("das Maß ist 5", "mass"),
        ("STRASSE", "Straße"),
        ("Ångström steht im Kopf", "angstrom"),
        ("Żółw is the code name", "zolw"),
        ("кэш живёт час", "живет"),
        ("ｆｕｌｌ width", "full"),
        ("猫が好きです", "猫"),
        ("用键登录", "键"),
        ("サーバーは東京にある", "ｻｰﾊﾞｰ"),
        ("データベースを移行する", "データベース"),
        ("ระบบชำระเงินอยู่ที่เซิร์ฟเวอร์", "เซิร์ฟเวอร์"),
        ("we deploy on Tuesdays", "deployment of the deployed deploys"),
    ],
)
def test_a_query_finds_the_fact_however_it_is_written(stored: str, query: str) -> None:
    assert found(store_of({"it": stored}).recall(query, floor=0.0, explicit=True)) == ["it"]


def test_an_identifier_is_one_token_for_unicode61() -> None:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE t USING fts5 (x, tokenize = 'porter unicode61')")
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, instance)")
    db.execute("INSERT INTO t VALUES (?)", (f"10{JOINER}0{JOINER}0{JOINER}5",))
    assert db.execute("SELECT term FROM v").fetchall() == [(f"10{JOINER}0{JOINER}0{JOINER}5",)]


def test_another_address_of_the_same_net_is_not_found_by_its_numbers() -> None:
    assert store_of({"it": "staging is at 10.0.0.7"}).recall("10.0.0.5", floor=0.0) == []


@SLOW_IS_FINE
@given(st.text(max_size=200))
def test_every_token_is_one_token_for_fts5_or_none_and_never_syntax(text: str) -> None:
    text = text.replace("\x00", " ").encode("utf-8", "replace").decode("utf-8")
    tokens = index_text(text).split()
    assert all(re.fullmatch(r"\w+", token) for token in tokens)
    assert all(len(token) <= 64 for token in tokens)
    terms = query_terms(text, explicit=True)
    store = Store([fact("a", text)])
    store.search(terms)  # raises on bad FTS5 syntax


@SLOW_IS_FINE
@given(st.text(max_size=120))
def test_what_is_stored_is_found_by_its_own_words(text: str) -> None:
    """Each term of a text, taken as a query, is among the terms that the index holds for it."""
    terms = query_terms(text)
    known = spoken(text).stems
    assert {porter(term) for term in terms} <= known


SMALL_TALK = """
hi|hello|hey there|thanks, looks good|continue|ok|okay!|go on|go ahead|yes|no|yes please|lgtm
please continue|ok thanks!|sounds good, go ahead|perfect|great, thank you|fix it|run it again
try again|do it|next|keep going|looks good, ship it|nice work|what?|why?|and now?
alright, proceed|danke|danke dir|super, danke!|weiter|mach weiter|mach bitte weiter|ja|nein
ja bitte|passt|passt, weiter so|okay, gut|hallo|guten Morgen|继续|请继续|谢谢|谢谢你！|好的|好
好的，继续吧|你好|可以|没问题|很好，继续|嗨|merci|gracias|obrigado|спасибо|продолжай|ありがとう
続けて|고마워|계속해줘|👍|...|?|1|y
"""


@pytest.mark.parametrize("prompt", ["", "\n", *re.split(r"[|\n]", SMALL_TALK.strip())])
def test_small_talk_asks_for_nothing(prompt: str) -> None:
    assert query_terms(prompt) == []


@pytest.mark.parametrize(
    ("prompt", "terms"),
    [
        ("what is the staging address", ["staging", "address"]),
        ("how do I run the tests?", ["run", "tests"]),
        ("how do I run it?", ["run"]),
        ("Wo liegt denn die Datenbank?", ["liegt", "datenbank"]),
        ("预发布服务器在哪里？", ["预发", "发布", "布服", "服务", "务器"]),
        ("退款需要谁审批？", ["退款", "审批"]),
        ("배포스크립트는 어디에 있나요?", ["배포", "포스", "스크", "크립", "립트"]),
        ("夜間バッチはいつ実行されますか", ["夜間", "バッ", "ッチ", "実行"]),
        ("où est le serveur de test", ["serveur", "test"]),
        ("¿dónde está el servidor?", ["servidor"]),
        ("onde fica o servidor?", ["fica", "servidor"]),
        ("где лежит сервер?", ["лежит", "сервер"]),
    ],
)
def test_stop_and_question_words_go_and_the_topic_stays(prompt: str, terms: list[str]) -> None:
    assert query_terms(prompt) == terms


def test_a_persons_own_search_may_ask_for_words_too_weak_for_a_prompt() -> None:
    assert query_terms("code") == []
    assert query_terms("code", explicit=True) == ["code"]
    assert query_terms("next", explicit=True) == ["next"]
    assert query_terms("who", explicit=True) == ["who"]


def test_two_spellings_of_one_stem_are_not_searched_twice() -> None:
    assert query_terms("wo sind die Tests") == ["tests"]


def test_a_pasted_block_asks_only_if_nothing_else_does() -> None:
    block = "```\nTraceback: KeyError in billing_total\n```"
    assert query_terms(f"the refund fails\n{block}") == ["refund", "fails"]
    assert f"billing{JOINER}total" in query_terms(block)


def test_a_long_prompt_keeps_its_strong_words_and_its_order() -> None:
    prompt = " ".join(f"topic{number} show" for number in range(100)) + " zebra"
    terms = query_terms(prompt, limit=10)
    assert len(terms) == 10
    assert "show" not in terms
    assert terms == sorted(terms, key=prompt.index)


def test_a_huge_prompt_is_read_at_both_ends_only_and_fast() -> None:
    hostile = ["a." * 500_000, "a" * 1_000_000, "请" * 500_000, "<" * 500_000, "a-b_" * 250_000]
    for text in hostile:
        before = time.process_time()
        query_terms(f"staging {text} zebra")
        assert time.process_time() - before < 0.5
    assert "zebra" in query_terms("staging " + "lorem ipsum " * 100_000 + "zebra")


def test_four_thousand_characters_are_cut_into_tokens_fast() -> None:
    before = time.process_time()
    for text in ("a." * 2_000, "aB" * 2_000, "缓存" * 2_000, "a1" * 2_000, "ü-" * 2_000):
        index_text(text)
    assert time.process_time() - before < 1.0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the server is in the cellar", "en"),
        ("der Server steht im Keller", "de"),
        ("Größe: 5", "de"),
        ("le serveur est dans la cave", "fr"),
        ("el servidor está en la casa", "es"),
        ("o servidor não está em casa", "pt"),
        ("Postgres 16", None),
    ],
)
def test_a_language_is_known_by_its_small_words(text: str, name: str | None) -> None:
    assert language(pieces(text)) == name


def test_the_second_form_is_the_other_german_spelling() -> None:
    assert second_form("Größe") == "groesse"
    assert second_form("Groesse") == "grosse"
    assert second_form("neue") is None
    assert second_form("Quelle") is None
    assert fold("GRÖSSE") == fold("größe") == "grosse"
    assert fold("が") != fold("か")


def test_spellings_of_one_word_are_one_family() -> None:
    assert family(f"on{JOINER}call") == family("oncall")
    assert family("tests") == family("test")
    assert family("redis") != family("rabbit")


def test_pruning_keeps_the_rarest_words_in_the_order_of_the_prompt() -> None:
    frequencies = {"a1": 5, "b1": 1, "c1": 0, "d1": 3, "e1": 2}
    assert prune(list(frequencies), frequencies, 100, keep=3) == ["b1", "d1", "e1"]


def test_pruning_a_large_store_drops_what_most_facts_say() -> None:
    frequencies = {"order": 700, "refund": 12}
    assert prune(["order", "refund"], frequencies, 1_000) == ["refund"]
    assert prune(["order", "refund"], {"order": 70, "refund": 12}, 100) == ["order", "refund"]


def test_pruning_never_leaves_nothing_of_words_that_occur() -> None:
    assert prune(["order"], {"order": 900_000}, 1_000_000) == ["order"]
    assert prune(["order"], {"order": 0}, 1_000_000) == []


def test_pruning_bounds_the_rows_that_a_search_walks() -> None:
    frequencies = {f"word{number}x": 500 for number in range(8)}
    kept = prune(list(frequencies), frequencies, 100_000)
    assert len(kept) == 2


def test_a_short_prompt_is_its_own_gist() -> None:
    assert gist("where is  the staging server?") == "where is the staging server?"


def test_small_talk_has_no_gist() -> None:
    assert gist("thanks, go on") == gist("") == gist("你好") == gist("danke, mach weiter") == ""


def test_of_a_long_prompt_what_it_asks_is_kept_and_a_paste_is_left_out() -> None:
    pasted = "\n".join(f"at line {n} of frame {n}" for n in range(400))
    prompt = (
        "Good morning! I had a look at it. Nothing helped, as I said before. It is all the same."
        " Which port does the staging server listen on? Thanks a lot for all the help so far."
        f"\n```\n{pasted}\n```\nI will be away for a while then, and that is that."
    )
    kept = gist(prompt)
    assert "Which port does the staging server listen on?" in kept
    assert len(kept) <= LONGEST and "frame" not in kept


def test_a_prompt_of_any_length_has_a_gist_of_bounded_length() -> None:
    for text in ("port " * 5_000, "端口" * 5_000, "port. " * 5_000, "x" * 9_000):
        assert 0 < len(gist(text)) <= LONGEST
