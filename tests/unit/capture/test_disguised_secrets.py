"""Secrets in a command line and secrets written in another way are redacted where they stand."""

import pytest

from dormouse.capture.redaction import Redacted, redact

PASSWORD = "hunter" + "2xyz"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("curl -u bob:{} http://x", "basic_auth"),
        ("curl -sSu bob:{} http://x", "basic_auth"),
        ("curl -ubob:{} http://x", "basic_auth"),
        ("curl --user=bob:{} http://x", "basic_auth"),
        ("curl --user 'bob:{}' http://x", "basic_auth"),
        ('curl https://x \\\n  --proxy-user "bob:{}"', "basic_auth"),
        ("wget --password={} http://x", "password"),
        ("wget --http-password {} http://x", "password"),
        ("mysql -uroot -p{} shop", "password"),
        ("mysqldump -h db -p'{}' shop", "password"),
        ("mariadb-dump -p{} shop", "password"),
        ("sshpass -p {} ssh bob@db", "password"),
        ("sshpass -p{} ssh bob@db", "password"),
        ("redis-cli -a {} ping", "password"),
        ("docker login -u bob -p {} registry.example.com", "password"),
        ("mycli --token {} go", "token"),
    ],
)
def test_what_a_program_takes_for_a_password_is_redacted(said: str, kind: str) -> None:
    found = redact(said.format(PASSWORD))
    assert found == Redacted(said.format(f"[redacted:{kind}]"), (kind,))
    assert redact(found.text) == Redacted(found.text, ())


def test_a_password_of_letters_alone_is_redacted_where_only_a_password_can_stand() -> None:
    word = "hun" + "ter"
    for said in ("curl -u bob:{} x", "wget --password={} x", "mysql -p{} x", "sshpass -p {} ssh x"):
        assert word not in redact(said.format(word)).text


@pytest.mark.parametrize(
    "said",
    [
        "docker run -u 1000:1000 alpine",
        "curl -s http://x | docker run -u 1000:1000 alpine",
        'curl -u "$USER:$PASS" http://x',
        "curl -u bob:$PASS http://x",
        "curl -u bob:<password> http://x",
        "curl -o out.html http://x:8080/a",
        "mysql -u root -p shop",
        "mysql -P3306 -h db",
        "use sshpass -p to log in",
        "ssh -p 2222 bob@db and mkdir -p a/b",
        "pass --password to the tool, or --password-stdin",
        "wget --password=$PASS http://x",
        "login with -p is how docker does it",
        "see https://example.com/a%20b%2Fc?x=%7B%7D and 50%25 of it",
        "你好，世界：ＡＢＣ（１２３）",
        "akia" + "b" * 16,
    ],
)
def test_what_only_looks_like_it_stays(said: str) -> None:
    assert redact(said) == Redacted(said, ())


def wide(text: str) -> str:
    return "".join(chr(ord(letter) + 0xFEE0) for letter in text)


def bold(text: str) -> str:
    return "".join(
        chr(0x1D400 + ord(letter) - ord("A")) if letter.isupper() else letter for letter in text
    )


TOKEN = "ghp_" + "A" * 36


@pytest.mark.parametrize(
    "written",
    [
        TOKEN.replace("_", "%5F"),
        TOKEN.replace("_", "%5f"),
        TOKEN.replace("_", "%255F"),
        "".join(f"%{ord(letter):02X}" for letter in TOKEN),
        TOKEN.replace("_", "\\u005f"),
        TOKEN.replace("_", "\\x5f"),
        TOKEN.replace("_", "&#95;"),
        TOKEN.replace("_", "&#x5F;"),
        wide(TOKEN),
        "ghp" + wide("_") + "A" * 36,
        bold(TOKEN),
        "g\u200bhp" + wide("_") + "A" * 36,
    ],
)
def test_a_token_that_is_written_in_another_way_is_redacted_where_it_stands(written: str) -> None:
    found = redact(f"用 %7B the {written} here")
    assert found == Redacted("用 %7B the [redacted:github_token] here", ("github_token",))


def test_an_address_in_an_address_hides_no_password() -> None:
    inner = "postgres%3A%2F%2Fbob%3A" + PASSWORD + "%40db%2Fshop"
    assert redact(f"https://x/?to={inner}").text == (
        "https://x/?to=postgres%3A%2F%2Fbob%3A[redacted:connection_string]%40db%2Fshop"
    )
