"""Owner commands: refused where an agent could ask, done for the owner and for the passphrase."""

import pytest

from dormouse_cli import owner
from dormouse_wire.paths import Home
from tests.unit.cli.conftest import Run
from tests.unit.cli.dummy import FACT_ID, Dummy, fact, run_report
from tests.unit.cli.terminals import on_terminal, without_terminal

ERASED = {"erased": {"facts": 1, "vectors": 0, "turns": 2, "derived": 0}, "still_in": ["b.db"]}
ROTATED = {"deep": True, "slots": ["keyfile"], "old_copies": ["b.db"], "old_file": None}
HELD = {"current": 3, "retired": 1}
RESTORED = {"facts": HELD, "newest": None, "before": "before.db", "erased_again": 2}
COMMANDS = [
    ["erase", "7k3f"],
    ["key", "add", "passphrase"],
    ["key", "check"],
    ["key", "remove", "passphrase"],
    ["key", "rotate"],
    ["restore-backup", "b.db"],
    ["questions", "answer", "7k3f", "keep"],
    ["rem", "approve", "7k3f"],
    ["proposals", "accept", "7k3f"],
    ["projects", "join", "7k3f", "9m2q"],
    ["retire", "--why", "gone", *[f"id{number:02}" for number in range(11)]],
]


@pytest.fixture
def owned(daemon: Dummy) -> Dummy:
    """A daemon that would do everything an owner can ask for."""
    daemon.script("POST /v1/erase", ERASED)
    daemon.script("POST /v1/keys", {"kind": "passphrase"})
    daemon.script("GET /v1/keys", {"slots": [{"kind": "keyfile", "ok": True}], "protects": "…"})
    daemon.script("POST /v1/keys/check", {"ok": True})
    daemon.script("POST /v1/keys/remove", {"kind": "passphrase", "slots": ["keyfile"]})
    daemon.script("POST /v1/keys/rotate", ROTATED)
    daemon.script("POST /v1/restore-backup", RESTORED)
    daemon.script("POST /v1/questions/7k3f/answer", fact())
    daemon.script("POST /v1/rem/runs/7k3f/approve", run_report())
    daemon.script("POST /v1/projects/join", {"id": FACT_ID})
    daemon.script("POST /v1/proposals/7k3f/accept", fact())
    return daemon


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("mark", ["CLAUDECODE", "AI_AGENT", "CODEX_THREAD_ID", "GEMINI_CLI"])
def test_an_agents_mark_refuses_every_owner_command(
    owned: Dummy, run: Run, monkeypatch: pytest.MonkeyPatch, command: list[str], mark: str
) -> None:
    monkeypatch.setenv(mark, "1")
    said = run(*command, "--json")
    assert said.code == 5
    assert said.json["error"]["code"] == "refused"
    assert mark in said.err
    assert owned.asked == []


@pytest.mark.parametrize(
    ("mark", "agent"),
    [
        ({"CLAUDECODE": "1"}, "claude-code"),
        ({"CODEX_SANDBOX": "seatbelt"}, "codex"),
        ({"GEMINI_CLI": "1"}, "gemini"),
        ({"OPENCODE": "1", "AGENT": "1"}, "opencode"),
        ({"OPENCLAW_SHELL": "exec"}, "openclaw"),
        ({"OPENCLAW_CLI": "1"}, "openclaw"),
        ({"HERMES_SESSION_ID": "20260511"}, "hermes"),
        ({"HERMES_AGENT": "true", "AI_AGENT": "other"}, "hermes"),
        ({"AI_AGENT": "Claude-Code_2.1.0_cli"}, "claude-code"),
        ({"AI_AGENT": "something new"}, "agent"),
        ({"DORMOUSE_THINKER": "1"}, "thinker"),
        ({"AGENT": "1"}, None),
        ({"CODEX_HOME": "/x", "CLAUDE_CONFIG_DIR": "/y", "HERMES_HOME": "/z"}, None),
        ({"GEMINI_CLI_HOME": "/x", "OPENCODE_CONFIG": "/y"}, None),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else value,
)
def test_an_agent_is_known_by_its_mark_and_nobody_by_their_own_settings(
    home: Home, monkeypatch: pytest.MonkeyPatch, mark: dict[str, str], agent: str | None
) -> None:
    for name, value in mark.items():
        monkeypatch.setenv(name, value)
    assert owner.agent() == agent
    assert (owner.marker() in mark) is (agent is not None)


def test_a_mark_refuses_at_a_terminal_too(owned: Dummy, home: Home) -> None:
    home.keyslots.write_text('{"slots": [{"kind": "keyfile"}]}')
    typed = [("Passphrase:", "")]
    said = on_terminal("erase", "7k3f", "--yes", typed=typed, env={"GEMINI_CLI": "1"})
    assert said.code == 5
    assert owned.asked == []


def test_without_a_terminal_it_is_refused_and_the_message_says_so(owned: Dummy) -> None:
    said = without_terminal("erase", "7k3f")
    assert said.code == 5
    assert "no terminal" in said.err
    said = without_terminal("erase", "7k3f", "--yes")
    assert said.code == 5
    assert owned.asked == []


def test_a_memory_without_a_passphrase_is_not_told_to_give_one(owned: Dummy, home: Home) -> None:
    home.keyslots.write_text('{"slots": [{"kind": "keyfile"}, {"kind": "recovery"}]}')
    tried = [(command, "") for command in COMMANDS]
    tried += [([*COMMANDS[0], "--yes"], given) for given in ("", "open sesame\n")]
    for command, given in tried:
        said = without_terminal(*command, stdin=given)
        assert said.code == 5
        assert "with --yes" not in said.err
        assert "in a terminal of your own" in said.err
        assert "it opens with: keyfile, recovery" in said.err
    assert owned.asked == []
    home.keyslots.write_text('{"slots": [{"kind": "keyfile"}, {"kind": "passphrase"}]}')
    assert "with --yes and the passphrase" in without_terminal("erase", "7k3f").err


def test_the_passphrase_on_standard_input_stands_for_the_owner(owned: Dummy) -> None:
    said = without_terminal(
        "erase", "7k3f", "--yes", "--json", stdin="open sesame\n", env={"CLAUDECODE": "1"}
    )
    assert said.code == 0
    assert said.json == ERASED
    assert owned.bodies("POST /v1/erase") == [{"id": "7k3f", "passphrase": "open sesame"}]


def test_a_wrong_passphrase_is_the_daemons_to_refuse(owned: Dummy) -> None:
    owned.fail("POST /v1/erase", 403, "refused", "Refused: the passphrase is wrong.")
    said = without_terminal("erase", "7k3f", "--yes", stdin="wrong\n")
    assert said.code == 5
    assert "wrong\n" not in said.out


def test_a_wrong_passphrase_retires_nothing_and_lists_no_keys(owned: Dummy) -> None:
    owned.script("POST /v1/keys/check", {"ok": False})
    for command in (COMMANDS[-1], ["key", "check"]):
        said = without_terminal(*command, "--yes", stdin="wrong\n", env={"CLAUDECODE": "1"})
        assert said.code == 5
    assert {asked.path for asked in owned.asked} == {"/v1/health", "/v1/keys/check"}


def test_a_second_line_is_the_new_passphrase(owned: Dummy) -> None:
    said = without_terminal("key", "add", "passphrase", "--yes", stdin="old one\nnew one\n")
    assert said.code == 0
    assert owned.bodies("POST /v1/keys") == [
        {"kind": "passphrase", "passphrase": "old one", "secret": "new one"}
    ]


def test_at_a_terminal_the_owner_is_asked_before_an_erasure(owned: Dummy) -> None:
    said = on_terminal("erase", "7k3f", typed=[("Type yes:", "no")])
    assert said.code == 5
    assert owned.bodies("POST /v1/erase") == [{"id": "7k3f", "dry_run": True}]
    said = on_terminal("erase", "7k3f", typed=[("Type yes:", "yes")])
    assert said.code == 0
    assert "erased: 1 fact, 2 turns" in said.out
    assert "still in: b.db" in said.out
    assert owned.bodies("POST /v1/erase")[-1] == {"id": "7k3f"}


def test_at_a_terminal_a_question_is_answered_without_more_ado(owned: Dummy) -> None:
    said = on_terminal("questions", "answer", "7k3f", "keep", "--json")
    assert said.code == 0
    assert owned.bodies("POST /v1/questions/7k3f/answer") == [{"verdict": "keep"}]


def test_the_recovery_code_goes_to_the_terminal_and_nowhere_else(owned: Dummy) -> None:
    owned.script("POST /v1/keys", {"kind": "recovery", "code": "AAAA-BBBB"})
    said = on_terminal("key", "add", "recovery", "--json")
    assert said.code == 0
    assert "Recovery code: AAAA-BBBB" in said.out
    assert said.out.count("AAAA-BBBB") == 1
    owned.asked.clear()
    said = without_terminal("key", "add", "recovery", "--yes", stdin="pass\n")
    assert said.code == 5
    assert owned.asked == []


def test_a_new_passphrase_is_typed_twice_and_not_shown(owned: Dummy) -> None:
    typed = [("New passphrase:", "battery staple"), ("Once more:", "battery staple")]
    said = on_terminal("key", "add", "passphrase", typed=typed)
    assert said.code == 0
    assert "battery staple" not in said.out
    assert owned.bodies("POST /v1/keys") == [{"kind": "passphrase", "secret": "battery staple"}]
    typed[1] = ("Once more:", "other")
    assert on_terminal("key", "add", "passphrase", typed=typed).code == 2


def test_key_check_exits_1_where_a_slot_does_not_open(owned: Dummy) -> None:
    assert "keyfile: opens" in on_terminal("key", "check").out
    owned.script("POST /v1/keys/check", {"ok": False})
    said = on_terminal("key", "check", "recovery", typed=[("Recovery:", "x")])
    assert said.code == 1
    assert owned.bodies("POST /v1/keys/check") == [{"kind": "recovery", "secret": "x"}]


def test_unlock_needs_no_proof_but_the_secret(
    owned: Dummy, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    owned.script("POST /v1/unlock", {"state": "ok"})
    assert without_terminal("unlock", stdin="open sesame\n").out == "unlocked\n"
    assert without_terminal("unlock", "--recovery", stdin="code\n").code == 0
    assert owned.bodies("POST /v1/unlock") == [
        {"passphrase": "open sesame"},
        {"recovery": "code"},
    ]
    assert without_terminal("unlock").code == 2


def test_a_backup_is_looked_at_first_and_takes_the_memorys_place_only_after_a_yes(
    owned: Dummy,
) -> None:
    said = on_terminal("restore-backup", "/b.db", typed=[("Type yes:", "y")])
    assert (said.code, owned.bodies("POST /v1/restore-backup")) == (
        5,
        [{"path": "/b.db", "dry_run": True}],
    )
    assert "holds 3 current and 1 retired facts" in said.out
    said = on_terminal("restore-backup", "/b.db", typed=[("Type yes:", "yes")])
    assert owned.bodies("POST /v1/restore-backup")[-1] == {"path": "/b.db"}
    assert "before.db" in said.out
    assert "erased again: 2" in said.out
    owned.asked.clear()
    assert on_terminal("restore-backup", "/b.db", "--dry-run").code == 0
    assert owned.bodies("POST /v1/restore-backup") == [{"path": "/b.db", "dry_run": True}]


def test_a_key_is_removed_after_a_yes_only(owned: Dummy) -> None:
    assert on_terminal("key", "remove", "passphrase", typed=[("Type yes:", "no")]).code == 5
    assert owned.bodies("POST /v1/keys/remove") == []
    said = on_terminal("key", "remove", "passphrase", typed=[("Type yes:", "yes")])
    assert "it opens with: keyfile" in said.out


def test_a_rotation_asks_for_a_passphrase_and_names_the_copies_under_the_old_key(
    owned: Dummy,
) -> None:
    owned.script("GET /v1/keys", {"slots": [{"kind": "keyfile"}, {"kind": "passphrase"}]})
    typed = [("Passphrase from now on:", "battery staple"), ("Once more:", "battery staple")]
    said = on_terminal("key", "rotate", "--deep", typed=typed)
    assert owned.bodies("POST /v1/keys/rotate") == [{"deep": True, "secret": "battery staple"}]
    assert "battery staple" not in said.out
    assert "still under the old data key: b.db" in said.out


def test_a_rotation_shows_the_new_recovery_code_on_the_terminal_alone(owned: Dummy) -> None:
    owned.script("GET /v1/keys", {"slots": [{"kind": "keyfile"}, {"kind": "recovery"}]})
    owned.script("POST /v1/keys/rotate", {"deep": False, "code": "AAAA-BBBB"})
    said = on_terminal("key", "rotate", "--json")
    assert said.out.count("AAAA-BBBB") == 1
    assert "Recovery code: AAAA-BBBB" in said.out
    owned.asked.clear()
    assert without_terminal("key", "rotate", "--yes", stdin="pass\n").code == 5
    assert owned.bodies("POST /v1/keys/rotate") == []
