"""Secrets never enter, harmless sentences stay, and no text can make the search slow."""

import base64
import random
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dormouse.capture.redaction import MOST_BYTES, Redacted, redact
from dormouse.errors import TooSlow

RANDOM = random.Random(7)
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789"


def letters(count: int) -> str:
    return "a1B" + "".join(RANDOM.choice(LETTERS) for _ in range(count - 3))


def hexits(count: int) -> str:
    return "a1" + "".join(RANDOM.choice("0123456789abcdef") for _ in range(count - 2))


def pem(kind: str = "RSA PRIVATE KEY") -> str:
    body = [base64.b64encode(RANDOM.randbytes(48)).decode() for _ in range(12)]
    return f"-----BEGIN {kind}-----\n" + "\n".join([*body, "Ab3="]) + f"\n-----END {kind}-----"


TOKENS: dict[str, list[str]] = {
    "aws_access_key": ["AKIA" + "B" * 16, "ASIA" + "C2" * 8],
    "github_token": [
        *(f"gh{kind}_" + "A" * 36 for kind in "pousr"),
        "github_pat_" + letters(22) + "_" + letters(59),
        "ghp_" + letters(300),
    ],
    "gitlab_token": ["glpat-" + letters(20)],
    "slack_token": [f"xox{kind}-" + "1234567890-" + letters(24) for kind in "bpas"],
    "slack_webhook": ["hooks.slack.com/services/T0000/B0000/" + letters(24)],
    "openai_key": ["sk-" + letters(48), "sk-proj-" + letters(40) + "_" + letters(40)],
    "anthropic_key": ["sk-ant-api03-" + letters(93) + "-AA"],
    "google_api_key": ["AIza" + letters(35)],
    "stripe_key": ["sk_live_" + letters(24), "rk_test_" + letters(24), "whsec_" + letters(32)],
    "npm_token": ["npm_" + letters(36)],
    "pypi_token": ["pypi-AgEI" + letters(100)],
    "huggingface_token": ["hf_" + letters(34)],
    "telegram_token": ["123456789:AA" + letters(33)],
    "sendgrid_key": ["SG." + letters(22) + "." + letters(43)],
    "twilio_key": ["SK" + hexits(32)],
    "age_key": ["AGE-SECRET-KEY-1" + letters(58).upper()],
    "jwt": ["eyJ" + "a" * 20 + "." + "b" * 20 + "." + "c" * 20],
    "private_key": [pem(), pem("OPENSSH PRIVATE KEY"), pem("EC PRIVATE KEY"), pem("PRIVATE KEY")],
}
CASES = [(kind, token) for kind, tokens in TOKENS.items() for token in tokens]


@pytest.mark.parametrize(("kind", "token"), CASES)
@pytest.mark.parametrize("frame", ["{}", "use {} here", '"{}"', "x={};", "密钥 {}。", "({})."])
def test_a_token_of_each_kind_is_replaced_by_its_type(kind: str, token: str, frame: str) -> None:
    found = redact(frame.format(token))
    assert token not in found.text
    assert kind in found.types
    assert f"[redacted:{kind}]" in found.text
    assert found.text.startswith(frame.split("{}")[0])


def test_a_sentence_keeps_everything_but_the_secret() -> None:
    secret = "ghp_" + "A" * 36
    assert redact(f"the deploy token {secret} is for CI").text == (
        "the deploy token [redacted:github_token] is for CI"
    )


def test_a_password_in_an_address_goes_and_the_host_stays() -> None:
    password = "p" * 12
    assert redact(f"postgres://u:{password}@db/x") == Redacted(
        "postgres://u:[redacted:connection_string]@db/x", ("connection_string",)
    )
    assert redact("clone https://bob:" + "s3cret" + "@git.example.com/a.git").text == (
        "clone https://bob:[redacted:basic_auth]@git.example.com/a.git"
    )
    assert redact("redis://:" + "pa@ss1" + "@cache:6379").text == (
        "redis://:[redacted:connection_string]@cache:6379"
    )
    token = letters(40)
    assert token not in redact(f"https://{token}:x-oauth-basic@github.com/a/b").text


@pytest.mark.parametrize(
    "said",
    [
        "the api key is {}",
        "API key: {}",
        "api_key={}",
        'API_KEY="{}"',
        "the API key for staging is {}",
        "secret: {}",
        "client_secret = '{}'",
        "token={}",
        '"access_token": "{}"',
        "Authorization: Bearer {}",
        "curl -H 'Authorization: Basic {}'",
        "bearer {}",
        "X-Api-Key: {}",
        "AWS_SECRET_ACCESS_KEY={}",
        "der API-Key ist {}",
        "Der Schlüssel lautet {}",
        "密钥是 {}",
        "令牌：{}",
        "private key = {}",
        "the api key is\n{}",
    ],
)
def test_random_letters_behind_a_cue_are_a_secret(said: str) -> None:
    for value in (hexits(40), letters(32)):
        assert value not in redact(said.format(value)).text
        assert redact(said.format(value)).text.startswith(said.split("{}")[0])


@pytest.mark.parametrize(
    "said",
    [
        "password=" + "hunter2",
        "DB_PASSWORD: " + "Xy9!abcd",
        "the password is " + "Xy9!abcd",
        "Das Passwort ist " + "Xy9!abcd",
        "Mein Passwort für die Datenbank lautet " + "Xy9!abcd",
        "数据库密码是 " + "Xy9abcd8",
        "密码：" + "Xy9abcd8",
        "pwd=" + "tr0ub4dor&3",
        "Server=db;User Id=sa;Password=" + "S3cure!pw" + ";",
        "passphrase: " + "correct7horse",
    ],
)
def test_a_password_behind_its_word_is_a_secret(said: str) -> None:
    assert redact(said).types == ("password",)


HARMLESS = [
    "there is no API key in the build",
    "read the token from the variable API_TOKEN",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b broke it",
    "password rules: at least 12 characters",
    "the request id is 550e8400-e29b-41d4-a716-446655440000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "the password is required",
    "the token is optional",
    "the token is stored in /run/secrets/token",
    "token: str = None, max_tokens=200000",
    "password: string",
    "password=os.environ['DB_PASSWORD']",
    "password=${DB_PASSWORD}",
    "api_key = settings.api_key",
    "token = get_token(user)",
    "secret: see the vault",
    "password: ********",
    "das Passwort steht im Tresor",
    "密码是必填项",
    "the secret is to keep it simple",
    "see https://example.com:8080/path@v2 and user@example.com",
    "npm_config_registry and hf_hub_download and sk-learn-components-library-buttons",
    "git clone ssh://git@github.com/a/b.git",
    "public key: ssh-ed25519 in ~/.ssh/id_ed25519.pub",
    "-----BEGIN CERTIFICATE-----",
    "a file that starts with -----BEGIN PRIVATE KEY----- is a key",
    "the staging server is at 10.0.0.5",
    "10.0.0.5:8080 and 192.168.178.1:AA",
    "AKIA is the prefix, ghp_ and glpat- too",
    "预发布服务器是 10.0.0.5",
]


@pytest.mark.parametrize("said", HARMLESS)
def test_a_harmless_sentence_stays_as_it_is(said: str) -> None:
    assert redact(said) == Redacted(said, ())


def test_a_private_key_goes_whole_also_when_an_end_is_cut_off() -> None:
    key = pem()
    lines = key.splitlines()
    for part in ("\n".join(lines[:8]), "\n".join(lines[4:]), key, key.replace("\n", "\\n")):
        text = redact(f"before\n{part}\nafter the key").text
        assert text == "before\n[redacted:private_key]\nafter the key"


def test_two_private_keys_leave_what_stands_between() -> None:
    text = redact(f"{pem()}\nand then\n{pem()}").text
    assert text == "[redacted:private_key]\nand then\n[redacted:private_key]"


@pytest.mark.parametrize("gap", ["\u200b", "\u00ad", "\ufeff", "\u2060"])
def test_letters_nobody_sees_do_not_hide_a_secret(gap: str) -> None:
    token = "ghp_" + "A" * 10 + gap + "A" * 26
    assert redact(f"a{gap}b {token} c") == Redacted(
        f"a{gap}b [redacted:github_token] c", ("github_token",)
    )
    assert redact("g" + gap + "hp_" + "A" * 36).text == "[redacted:github_token]"


@pytest.mark.parametrize("wrap", ["\n", "\n    ", "\r\n", "\\\n", "\n> "])
def test_a_secret_that_was_wrapped_over_a_line_end_goes_whole(wrap: str) -> None:
    assert redact("ghp_" + "A" * 20 + wrap + "A" * 16 + " next").text == (
        "[redacted:github_token] next"
    )
    key = "sk-ant-api03-" + letters(60)
    assert redact(key + wrap + letters(30) + " next").text == "[redacted:anthropic_key] next"


def test_a_secret_at_a_line_end_takes_nothing_of_the_next_line() -> None:
    assert redact("ghp_" + "A" * 36 + "\nnext line").text == "[redacted:github_token]\nnext line"


def test_lone_surrogates_and_nul_pass() -> None:
    assert redact("a\ud83d\x00b").text == "a\ud83d\x00b"


PIECES = st.sampled_from(
    [token for _, token in CASES]
    + ["password=", "the api key is ", "://u:", "@", "\u200b", "\n", " ", "[redacted:", "]", "eyJ"]
    + ["%5F", "ghp%5F", "\uff3f", "\uff47hp_", "&#95;", "curl -u a:", "mysql -p", "--password="]
    + ["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "Authorization: ", "密码是"]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=12).map("".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    once = redact(text)
    assert redact(once.text) == Redacted(once.text, ())


@given(st.text())
def test_any_text_comes_back_and_no_longer_than_its_placeholders(text: str) -> None:
    found = redact(text)
    assert len(found.text) <= len(text) + 40 * found.text.count("[redacted:")


def cost(text: str) -> float:
    def once() -> float:
        start = time.thread_time()
        redact(text, spent=lambda: 0.0)
        return time.thread_time() - start

    return min(once() for _ in range(3))


@pytest.mark.parametrize(
    "piece",
    [
        "The staging server is at 10.0.0.5 and the token comes from API_TOKEN.\n",
        "ghp_",
        "eyJ",
        "sk-sk-",
        "password is ",
        "token token ",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----\n",
        "http://u:",
        "a://",
        "A",
        "a1" * 40 + "\n",
        "AKIA",
        "key=",
        ":AA",
        "\u200b",
        "%41",
        "\uff41",
        "a%20b ",
        "curl ",
        "curl -u a:b ",
        "mysql -p",
        "--password ",
        "--",
    ],
)
def test_twice_the_text_costs_about_twice_the_time(piece: str) -> None:
    small = piece * (30_000 // len(piece))
    ratios = []
    for _ in range(4):
        ratios.append(cost(small * 4) / max(cost(small), 1e-4))
        if ratios[-1] < 9:
            return
    pytest.fail(f"four times the text cost {min(ratios):.1f} times as much")


def test_the_clock_and_the_size_are_limits() -> None:
    ticks = iter(range(1000))
    late: Callable[[], float] = lambda: float(next(ticks))  # noqa: E731
    with pytest.raises(TooSlow):
        redact("x", spent=late)
    with pytest.raises(TooSlow):
        redact("a" * (MOST_BYTES + 1))
