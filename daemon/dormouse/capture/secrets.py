"""The typed patterns: what a credential of each kind looks like. Data only; it decides nothing.

Every ``start`` begins with literal bytes, so that the regex engine searches for them at memory
speed (2-3 ms for 8 MiB, where a pattern without them takes 50-90 ms). What follows is bounded.
The list of kinds follows gitleaks' published rules; the patterns are our own.
"""

import re
from typing import NamedTuple

WORD = rb"[A-Za-z0-9_-]"
ALNUM = rb"[A-Za-z0-9]"
LOWER_HEX = rb"[0-9a-f]"


class Token(NamedTuple):
    """A prefix that gives a credential away, and the run of letters after it.

    ``bounded``: no letter may stand before it (a short prefix would be found inside words).
    ``strict``: the run needs a digit or a capital, else it is an identifier of words.
    """

    type: str
    start: re.Pattern[bytes]
    alphabet: bytes
    least: int
    most: int = 255
    bounded: bool = True
    strict: bool = True


def _token(
    kind: str,
    start: bytes,
    alphabet: bytes,
    least: int,
    most: int = 255,
    *,
    bounded: bool = True,
    strict: bool = True,
) -> Token:
    return Token(kind, re.compile(start), alphabet, least, most, bounded, strict)


TOKENS: tuple[Token, ...] = (
    _token("aws_access_key", rb"AKIA", rb"[A-Z0-9]", 16, 16, strict=False),
    _token("aws_access_key", rb"ASIA", rb"[A-Z0-9]", 16, 16, strict=False),
    _token("github_token", rb"gh[oprsu]_", ALNUM, 30, bounded=False, strict=False),
    _token("github_token", rb"github_pat_", rb"\w", 22, bounded=False, strict=False),
    _token(
        "gitlab_token",
        rb"gl(?:pat|dt|ptt|rt|soat|ft|oas|cbt|agent|imt)-",
        rb"[A-Za-z0-9_.-]",
        20,
        strict=False,
    ),
    _token("slack_token", rb"xox[abceoprs]-", rb"[A-Za-z0-9-]", 10),
    _token("slack_token", rb"xapp-", rb"[A-Za-z0-9-]", 20),
    _token("slack_webhook", rb"hooks\.slack\.com/(?:services|workflows|triggers)/", rb"[\w/]", 20),
    _token("anthropic_key", rb"sk-ant-", WORD, 20),
    _token("openai_key", rb"sk-", WORD, 20),
    _token("google_api_key", rb"AIza", WORD, 30, 60, strict=False),
    _token("google_oauth", rb"ya29\.", WORD, 20),
    _token("google_oauth", rb"GOCSPX-", WORD, 20),
    _token("stripe_key", rb"sk_(?:live|test|prod)_", ALNUM, 10, strict=False),
    _token("stripe_key", rb"rk_(?:live|test|prod)_", ALNUM, 10, strict=False),
    _token("stripe_key", rb"whsec_", rb"[A-Za-z0-9+/=]", 20),
    _token("npm_token", rb"npm_", ALNUM, 30),
    _token("pypi_token", rb"pypi-", WORD, 40, 1000),
    _token("huggingface_token", rb"hf_", ALNUM, 30),
    _token("sendgrid_key", rb"SG\.", rb"[A-Za-z0-9_.-]", 40, 90),
    _token("twilio_key", rb"SK(?=[0-9a-f])", LOWER_HEX, 32, 32, strict=False),
    _token("age_key", rb"AGE-SECRET-KEY-", rb"[A-Z0-9]", 40, 120, strict=False),
    _token("digitalocean_token", rb"do[opr]_v1_", LOWER_HEX, 40),
    _token("docker_token", rb"dckr_pat_", WORD, 20),
    _token("shopify_token", rb"shp(?:at|ca|pa|ss)_", rb"[A-Fa-f0-9]", 30),
    _token("atlassian_token", rb"ATATT3", rb"[A-Za-z0-9_=-]", 40),
    _token("linear_key", rb"lin_api_", ALNUM, 30),
    _token("grafana_token", rb"gl(?:sa|c)_", rb"[\w+/=]", 30),
    _token("vault_token", rb"hvs\.", WORD, 24),
    _token("groq_key", rb"gsk_", ALNUM, 40),
)
JWT = Token("jwt", re.compile(rb"eyJ"), rb"[A-Za-z0-9_.=-]", 30, 8000, True, False)
JWT_WHOLE = re.compile(rb"eyJ[\w-]{6,}\.[\w-]{6,}\.[\w=-]{0,}")
TELEGRAM = re.compile(rb"(?<=:)AA[\w-]{30,40}")
TELEGRAM_ID = re.compile(rb"(?<![0-9])[0-9]{8,10}:\Z")

PEM_BEGIN = re.compile(rb"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
PEM_END = re.compile(rb"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# Without an END: header lines, then lines of base64, the last of which may be short.
PEM_CUT_OFF = re.compile(
    rb"(?:(?:\s|\\[nr]|[>|+]){0,12}(?:Proc-Type|DEK-Info|Comment|Version):[^\n]{0,100})*"
    rb"(?:(?:\s|\\[nr]|[>|+]){0,12}[A-Za-z0-9+/]{16,}={0,2})+"
    rb"(?:(?:\s|\\[nr]|[>|+]){0,12}(?=[A-Za-z]{0,15}[0-9+/=])[A-Za-z0-9+/]{1,16}={0,2})?"
)

SCHEME = re.compile(rb"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,24}\Z")
USERINFO = re.compile(rb"://([^\s/@:\"'<>\[\]]{0,128}):([^\s/\"'<>]{1,256})@")
TOKEN_AS_USER = re.compile(rb"://([A-Za-z0-9_-]{20,256})(?::[A-Za-z0-9_-]{0,30})?@")
WEB_SCHEMES = frozenset({b"http", b"https", b"ftp", b"ftps", b"git", b"ssh", b"ws", b"wss"})

# Behind a cue. All are matched against the text in ASCII lower case, which has the same length.
_VALUE = rb"((?:[!#-&(-;=?-_a-{}~]|[\xc2-\xc9][\x80-\xbf]){1,256})"
_SUFFIX = rb"(?:[ _-]?(?:key|token|base|value|string|code|phrase|text))?"
_ASSIGN = rb"[\"'`\])]{0,2}\s{0,3}(?::=|=>|->|={1,2}|:|\xef\xbc\x9a|\xef\xbc\x9d)\s{0,3}"
_FOR = (
    rb"(?:[ \t]{1,2}(?:for|of|to|on|f\xc3\xbcr|von|vom|zum|zur|der)"
    rb"(?:[ \t]{1,2}[^\s=:]{1,24}){1,4})?"
)
_IS = (
    rb"(?:[ \t]{1,2}[^\s=:]{1,24}){0,5}?[ \t]{1,2}"
    rb"(?:is now|is called|is|was|ist jetzt|ist|lautet|lauten|heisst)[ \t]*:?\s{1,3}"
)
_ZH_IS = r"(?:\s{0,2}(?:现在)?(?:是|为|设为))[\s:]{0,3}".encode()
_OPEN = rb"(?:[\"'`(]|\xe2\x80[\x9c\x98\x9e]|\xe3\x80\x8c){0,2}"
ASSIGNED = re.compile(_SUFFIX + _FOR + _ASSIGN + _OPEN + _VALUE)
TOLD = re.compile(_SUFFIX + rb"(?:" + _IS + rb"|" + _ZH_IS + rb")" + _OPEN + _VALUE)
BARE = re.compile(_SUFFIX + rb"[ \t]{1,2}" + _OPEN + _VALUE)
SET = re.compile(_SUFFIX + rb"=" + _OPEN + _VALUE)
BEARER = re.compile(rb"\s{1,3}[\"']?([A-Za-z0-9._~+/=-]{16,4096})")
HEADER = re.compile(
    rb"[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:bearer|basic|token|apikey|digest)\s{1,3})?"
    rb"([A-Za-z0-9._~+/=-]{8,4096})"
)


class Cue(NamedTuple):
    """A word after which a random value is a secret; ``before`` must match what precedes it."""

    type: str
    word: re.Pattern[bytes]
    before: re.Pattern[bytes] | None = None


_KEY_OF = re.compile(
    rb"(?:api|access|secret|private|encryption|signing|auth|account|master|license|client|deploy"
    rb"|session|webhook|shared)[ _-]?\Z"
)
CUES: tuple[Cue, ...] = (
    Cue("password", re.compile(rb"passw(?:or[dt]|d)\b")),
    Cue("password", re.compile(rb"passphrase\b")),
    Cue("password", re.compile(rb"pwd\b")),
    Cue("password", re.compile(rb"kennwort\b")),
    Cue("password", re.compile(rb"_pass\b")),
    Cue("secret", re.compile(rb"secret(?![a-z])")),
    Cue("token", re.compile(rb"token(?![a-z])")),
    Cue("secret", re.compile(rb"credential\b")),
    Cue("api_key", re.compile(rb"key(?![a-z])"), _KEY_OF),
    Cue("api_key", re.compile(rb"schl\xc3\xbcssel\b")),
    Cue("password", re.compile("密码".encode())),
    Cue("password", re.compile("口令".encode())),
    Cue("api_key", re.compile("密钥".encode())),
    Cue("token", re.compile("令牌".encode())),
)
