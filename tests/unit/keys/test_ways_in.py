"""Each way in opens the store it was made for, and nothing else does."""

import json
import os
from pathlib import Path

import pytest

from dormouse.errors import BadRequest, Conflict, Damaged, Locked, Refused, WrongSecret
from dormouse.keys import KeySlots, new_data_key
from tests.unit.keys.store import STORE, Store, mode


class TestKeyFile:
    def test_it_opens_the_store(self, store: Store) -> None:
        assert store.create().open_with_keyfile() == store.key
        assert KeySlots.load(store.path).open_with_keyfile() == store.key

    def test_files_and_folder_are_private_whatever_the_umask(self, store: Store) -> None:
        old = os.umask(0)
        try:
            store.create()
        finally:
            os.umask(old)
        assert (mode(store.path), mode(store.key_file), mode(store.key_folder)) == (
            0o600,
            0o600,
            0o700,
        )

    def test_its_absolute_path_is_recorded(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(store.home.parent)
        store.key_folder = Path("elsewhere")
        made = store.create()
        assert made.key_file == store.home.parent / "elsewhere" / f"{STORE}.key"
        monkeypatch.chdir("/")
        assert KeySlots.load(store.path).open_with_keyfile() == store.key

    def test_it_lies_where_the_environment_says_unless_told(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("DORMOUSE_KEYDIR", str(store.key_folder))
        KeySlots.create(store.path, store_id=STORE, data_key=store.key)
        assert store.key_file.exists()

    def test_one_that_is_there_is_never_overwritten(self, store: Store) -> None:
        store.key_folder.mkdir(parents=True)
        store.key_file.write_text("another store's only key")
        with pytest.raises(Refused, match="exists already"):
            store.create()
        assert store.key_file.read_text() == "another store's only key"
        assert not store.path.exists()

    def test_not_even_through_a_dangling_link(self, store: Store, tmp_path: Path) -> None:
        store.key_folder.mkdir(parents=True)
        store.key_file.symlink_to(tmp_path / "target")
        with pytest.raises(Refused):
            store.create()
        assert not (tmp_path / "target").exists()

    @pytest.mark.parametrize("inside", [".", "keys", "keys/deeper"])
    def test_it_never_lies_in_the_data_folder(self, store: Store, inside: str) -> None:
        link = store.home.parent / "link"
        link.symlink_to(store.home)
        for folder in (store.home / inside, link / inside):
            store.key_folder = folder
            with pytest.raises(Refused, match="lies in the data folder"):
                store.create()
        assert list(store.home.iterdir()) == []

    def test_a_missing_one_is_locked_and_says_which_and_what_to_do(self, store: Store) -> None:
        store.create()
        content = store.key_file.read_text()
        store.key_file.unlink()
        with pytest.raises(Locked) as caught:
            KeySlots.load(store.path).open_with_keyfile()
        assert str(store.key_file) in caught.value.hint
        assert "put it back" in caught.value.hint
        assert "unlock" not in caught.value.hint  # nothing else would open it
        assert not store.key_file.exists()
        store.key_file.write_text(content)
        store.key_file.chmod(0o600)
        assert KeySlots.load(store.path).open_with_keyfile() == store.key

    def test_a_missing_one_points_at_the_other_ways_in(self, store: Store) -> None:
        store.create("keyfile", "passphrase", passphrase="correct horse")
        store.key_file.unlink()
        with pytest.raises(Locked) as caught:
            KeySlots.load(store.path).open_with_keyfile()
        assert "dormouse unlock" in caught.value.hint

    def test_a_missing_one_beside_a_recovery_code_names_the_option_that_takes_the_code(
        self, store: Store
    ) -> None:
        store.create().add("recovery", store.key)
        store.key_file.unlink()
        with pytest.raises(Locked) as caught:
            KeySlots.load(store.path).open_with_keyfile()
        assert caught.value.hint.endswith("or, without it, run `dormouse unlock --recovery`.")

    def test_where_there_is_no_such_slot_the_hint_is_what_opens_the_memory(
        self, store: Store
    ) -> None:
        slots = store.create("passphrase", passphrase="correct horse")
        with pytest.raises(Locked) as caught:
            slots.open_with_keyfile()
        assert caught.value.hint == "Run `dormouse unlock`."
        slots.add("recovery", store.key)
        with pytest.raises(Locked) as caught:
            slots.open_with_keyfile()
        assert caught.value.hint == "Run `dormouse unlock` or `dormouse unlock --recovery`."

    def test_a_secret_that_no_slot_takes_is_answered_with_where_the_key_file_belongs(
        self, store: Store
    ) -> None:
        slots = store.create()
        for unlock in (slots.open_with_passphrase, slots.open_with_recovery):
            with pytest.raises(Locked) as caught:
                unlock("correct horse")
            assert f"put its key file {store.key_file} in place" in caught.value.hint
            assert "dormouse unlock" not in caught.value.hint

    @pytest.mark.parametrize("lax", [0o640, 0o604, 0o620, 0o666, 0o755])
    def test_one_that_others_may_read_or_change_is_refused_and_told(
        self, store: Store, lax: int
    ) -> None:
        store.create()
        store.key_file.chmod(lax)
        with pytest.raises(Locked) as caught:
            KeySlots.load(store.path).open_with_keyfile()
        assert f"chmod 600 {store.key_file}" in caught.value.hint
        assert mode(store.key_file) == lax  # not repaired behind the owner's back

    def test_a_link_is_refused(self, store: Store) -> None:
        store.create()
        store.key_file.rename(store.key_folder / "real")
        store.key_file.symlink_to("real")
        with pytest.raises(Locked) as caught:
            KeySlots.load(store.path).open_with_keyfile()
        assert "is a link" in caught.value.hint

    def test_a_pipe_is_refused_without_waiting(self, store: Store) -> None:
        store.create()
        store.key_file.unlink()
        os.mkfifo(store.key_file, 0o600)
        with pytest.raises(Locked) as caught:
            KeySlots.load(store.path).open_with_keyfile()
        assert "no regular file" in caught.value.hint

    def test_a_folder_in_its_place_is_refused(self, store: Store) -> None:
        store.create()
        store.key_file.unlink()
        store.key_file.mkdir(0o700)
        with pytest.raises(Locked):
            KeySlots.load(store.path).open_with_keyfile()

    @pytest.mark.parametrize(
        "content",
        ["", "\n", "#only a comment\n", "ab" * 31, "g" * 64, "ab" * 32 + "\n" + "ab" * 32],
    )
    def test_one_without_a_key_is_damaged(self, store: Store, content: str) -> None:
        store.create()
        store.key_file.write_text(content)
        with pytest.raises(Damaged) as caught:
            KeySlots.load(store.path).open_with_keyfile()
        assert caught.value.about["path"] == store.key_file

    def test_the_one_of_another_store_is_told(self, store: Store) -> None:
        store.create()
        store.key_file.write_text("cd" * 32 + "\n")
        with pytest.raises(Damaged, match="belongs to another memory"):
            KeySlots.load(store.path).open_with_keyfile()

    def test_the_key_folder_of_another_user_is_refused(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        store.key_folder.mkdir(parents=True)
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        with pytest.raises(Refused, match="no folder of yours"):
            store.create()

    def test_a_key_folder_that_others_may_write_to_is_refused(self, store: Store) -> None:
        store.key_folder.mkdir(parents=True)
        (store.key_folder / "something").write_text("")
        store.key_folder.chmod(0o777)
        with pytest.raises(Refused, match="others may write"):
            store.create()
        store.key_folder.chmod(0o755)
        assert store.create().open_with_keyfile() == store.key


class TestPassphrase:
    def test_it_opens_the_store_and_a_wrong_one_does_not(self, store: Store) -> None:
        store.create("passphrase", passphrase="grüne Gans")
        slots = KeySlots.load(store.path)
        assert slots.open_with_passphrase("grüne Gans") == store.key
        assert slots.open_with_passphrase("gru\u0308ne Gans") == store.key  # as macOS types it
        with pytest.raises(WrongSecret) as caught:
            slots.open_with_passphrase("grüne gans")
        assert caught.value.exit_code == 5
        assert not store.key_folder.exists()

    @pytest.mark.parametrize("nothing", [None, "", "  \n", "\ud800"])
    def test_an_empty_one_is_refused_and_leaves_nothing_behind(
        self, store: Store, nothing: str | None
    ) -> None:
        with pytest.raises(BadRequest):
            store.create("keyfile", "passphrase", passphrase=nothing)
        assert not store.path.exists()
        assert not store.key_folder.exists()

    def test_the_costs_are_those_of_the_design_with_a_salt_of_its_own(self, store: Store) -> None:
        store.create("passphrase", passphrase="x y z")
        (slot,) = store.document()["slots"]
        salt = slot["kdf"].pop("salt")
        assert slot["kdf"] == {
            "name": "argon2id",
            "iterations": 3,
            "lanes": 4,
            "memory_kib": 65536,
        }
        assert len(salt) == 24

    @pytest.mark.parametrize(
        "changed",
        [
            {"name": "sha1"},
            {"iterations": 0},
            {"iterations": True},
            {"memory_kib": 1 << 40},
            {"memory_kib": 8},
            {"lanes": "4"},
            {"salt": "AAAA"},
            {"salt": "?"},
            {"salt": None},
        ],
    )
    def test_costs_that_cant_be_ours_are_damaged(
        self, store: Store, changed: dict[str, object]
    ) -> None:
        store.create("passphrase", passphrase="x y z")
        document = store.document()
        document["slots"][0]["kdf"] |= changed
        store.path.write_text(json.dumps(document))
        with pytest.raises(Damaged, match="passphrase slot is broken"):
            KeySlots.load(store.path).open_with_passphrase("x y z")


class TestRecovery:
    def test_the_code_is_given_once_and_opens_the_store(self, store: Store) -> None:
        slots = store.create()
        code = slots.add("recovery", store.key)
        assert code is not None
        assert code not in store.path.read_text()
        assert KeySlots.load(store.path).open_with_recovery(code.lower()) == store.key
        with pytest.raises(Conflict):
            slots.add("recovery", store.key)

    def test_a_typo_is_told_with_its_group(self, store: Store) -> None:
        slots = store.create()
        code = slots.add("recovery", store.key) or ""
        wrong = "0" if code[11] != "0" else "1"
        with pytest.raises(WrongSecret) as caught:
            slots.open_with_recovery(code[:11] + wrong + code[12:])
        assert "typo" in caught.value.hint
        assert "3" in caught.value.hint

    def test_the_code_of_another_store_is_no_typo(self, store: Store, tmp_path: Path) -> None:
        (tmp_path / "other").mkdir()
        code = Store(tmp_path / "other").create().add("recovery", new_data_key()) or ""
        slots = store.create()
        slots.add("recovery", store.key)
        with pytest.raises(WrongSecret) as caught:
            slots.open_with_recovery(code)
        assert "another memory" in caught.value.hint
