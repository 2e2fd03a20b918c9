"""The language of a short text is told from its script and its small words."""

import pytest

from dormouse.capture.language import detect
from dormouse.capture.phrasebook import LANGUAGES, book


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the staging server is at 10.0.0.5", "en"),
        ("we use pnpm", "en"),
        ("wir deployen donnerstags", "de"),
        ("Der Server läuft auf Port 9090", "de"),
        ("预发布服务器是 10.0.0.5", "zh"),
        ("记住 staging server 是 example.internal", "zh"),
        ("発行番号の検証は夜間バッチで実行する", "ja"),
        ("배포스크립트는 금요일에 실행하지 않는다", "ko"),
        ("сервер находится на порту 9090", "ru"),
        ("le serveur est sur le port 9090", "fr"),
        ("el servidor está en el puerto 9090", "es"),
        ("nós usamos o pnpm e não o npm", "pt"),
        ("", "en"),
        ("pnpm", "en"),
        ("10.0.0.5", "en"),
    ],
)
def test_the_language_is_told(text: str, language: str) -> None:
    assert detect(text) == language


def test_nearly_every_example_is_recognised() -> None:
    for language in LANGUAGES:
        said = [example[0] for example in book(language).yes]
        right = sum(detect(text) == language for text in said)
        assert right >= 0.9 * len(said), language
