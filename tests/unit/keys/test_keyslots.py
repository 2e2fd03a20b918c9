"""The file with the slots: never made twice, never half written, broken ones told."""

import json
import os
from pathlib import Path

import pytest

from dormouse.errors import (
    BadRequest,
    Conflict,
    Damaged,
    DormouseError,
    Locked,
    NotFound,
    WrongSecret,
)
from dormouse.keys import KeySlots, new_data_key, new_store_id
from tests.unit.keys.store import Store, mode


class TestSlots:
    def test_an_existing_file_is_never_made_again(self, store: Store) -> None:
        store.create()
        before = store.path.read_bytes()
        with pytest.raises(Conflict):
            store.create("passphrase", passphrase="x y z")
        assert store.path.read_bytes() == before

    def test_not_even_a_dangling_link(self, store: Store) -> None:
        store.path.symlink_to("nowhere")
        with pytest.raises(Conflict):
            store.create()

    @pytest.mark.parametrize("kinds", [("recovery",), ("keyring",), ("keyfile", "nonsense")])
    def test_a_new_store_has_a_way_in_that_stays(
        self, store: Store, kinds: tuple[str, ...]
    ) -> None:
        with pytest.raises(BadRequest):
            store.create(*kinds)
        assert not store.path.exists()

    def test_slots_can_be_added_later_and_each_opens(self, store: Store) -> None:
        slots = store.create()
        assert slots.add("passphrase", store.key, "x y z") is None
        code = slots.add("recovery", store.key) or ""
        again = KeySlots.load(store.path)
        assert again.kinds == slots.kinds == ("keyfile", "passphrase", "recovery")
        assert again.open_with_keyfile() == again.open_with_passphrase("x y z") == store.key
        assert again.open_with_recovery(code) == store.key
        assert mode(store.path) == 0o600

    def test_a_key_file_can_be_added_to_a_store_with_a_passphrase(self, store: Store) -> None:
        slots = store.create("passphrase", passphrase="x y z")
        slots.add("keyfile", store.key, key_folder=store.key_folder)
        assert KeySlots.load(store.path).open_with_keyfile() == store.key

    def test_a_slot_that_is_there_is_not_replaced(self, store: Store) -> None:
        slots = store.create("keyfile", "passphrase", passphrase="x y z")
        before = store.path.read_bytes()
        for kind in ("keyfile", "passphrase"):
            with pytest.raises(Conflict):
                slots.add(kind, store.key, "other words")
        assert store.path.read_bytes() == before

    def test_an_unknown_kind_is_refused(self, store: Store) -> None:
        with pytest.raises(BadRequest):
            store.create().add("keyring", store.key)

    def test_slots_and_fields_of_a_later_version_are_kept(self, store: Store) -> None:
        store.create()
        document = store.document()
        keyring = {"kind": "keyring", "service": "dormouse", "deep": {"a": [1]}}
        document["slots"].insert(0, keyring)
        document["note"] = "später"
        store.path.write_text(json.dumps(document))
        slots = KeySlots.load(store.path)
        assert slots.kinds == ("keyring", "keyfile")
        slots.add("recovery", store.key)
        after = store.document()
        assert after["slots"][0] == keyring
        assert after["note"] == "später"
        assert slots.open_with_keyfile() == store.key

    def test_without_a_slot_of_that_kind_it_is_locked(self, store: Store) -> None:
        slots = store.create()
        for attempt in (slots.open_with_passphrase, slots.open_with_recovery):
            with pytest.raises(Locked) as caught:
                attempt("x y z")
            assert "keyfile" in caught.value.hint

    def test_check_says_whether_a_slot_opens(self, store: Store) -> None:
        slots = store.create("keyfile", "passphrase", passphrase="x y z")
        code = slots.add("recovery", store.key)
        assert slots.check("keyfile")
        assert slots.check("passphrase", "x y z")
        assert slots.check("recovery", code)
        for wrong in (None, "", "x y", "\ud800"):
            assert not slots.check("passphrase", wrong)
            assert not slots.check("recovery", wrong)
        store.key_file.unlink()
        assert not slots.check("keyfile")
        for missing in ("keyring", "nonsense"):
            with pytest.raises(NotFound):
                slots.check(missing)

    def test_a_failed_write_changes_nothing(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        slots = store.create()
        before = store.path.read_bytes()

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            slots.add("passphrase", store.key, "x y z")
        assert store.path.read_bytes() == before
        assert slots.kinds == ("keyfile",)
        assert list(store.home.iterdir()) == [store.path]


class TestDamage:
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\0" * 100,
            b"[]",
            b"null",
            b"{}",
            b'{"format":"1"}',
            b'{"format":true,"store_id":"abcd","slots":[{"kind":"x"}]}',
            b'{"format":1}',
            b'{"format":1,"store_id":"../../x","slots":[{"kind":"x"}]}',
            b'{"format":1,"store_id":"abcd","slots":[]}',
            b'{"format":1,"store_id":"abcd","slots":[1]}',
            b'{"format":1,"store_id":"abcd","slots":[{"kind":2}]}',
            b"[" * 100_000,
            b" " * (2 << 20),
            b"\xff\xfe",
        ],
    )
    def test_a_file_that_is_not_ours_is_damaged_and_left_as_it_is(
        self, store: Store, content: bytes
    ) -> None:
        store.path.write_bytes(content)
        with pytest.raises(Damaged) as caught:
            KeySlots.load(store.path)
        assert caught.value.about["path"] == store.path
        assert store.path.read_bytes() == content

    def test_a_newer_format_is_refused_with_both_numbers(self, store: Store) -> None:
        store.path.write_text('{"format":2,"store_id":"abcd","slots":[]}')
        with pytest.raises(Damaged, match=r"format 2.*only 1"):
            KeySlots.load(store.path)

    def test_a_missing_file_is_damage_too(self, store: Store) -> None:
        with pytest.raises(Damaged, match="missing"):
            KeySlots.load(store.path)

    def test_a_link_or_a_pipe_is_not_read(self, store: Store) -> None:
        store.create()
        store.path.rename(store.home / "real")
        store.path.symlink_to("real")
        with pytest.raises(Damaged):
            KeySlots.load(store.path)
        store.path.unlink()
        os.mkfifo(store.path)
        with pytest.raises(Damaged):
            KeySlots.load(store.path)

    @pytest.mark.parametrize("field", ["nonce", "wrapped", "path"])
    def test_a_changed_slot_does_not_open(self, store: Store, field: str) -> None:
        store.create()
        document = store.document()
        slot = document["slots"][0]
        for value in ("A" + slot[field][1:], slot[field][:-8], 7, None, "", "x"):
            slot[field] = value if value != store.document()["slots"][0][field] else "B"
            store.path.write_text(json.dumps(document))
            with pytest.raises((Damaged, Locked)):
                KeySlots.load(store.path).open_with_keyfile()

    def test_a_slot_opens_only_the_store_and_the_kind_it_was_made_for(self, store: Store) -> None:
        store.create()
        document = store.document()
        other = document | {"store_id": "zzzz2345efgh6723"}
        store.path.write_text(json.dumps(other))
        with pytest.raises(Damaged):
            KeySlots.load(store.path).open_with_keyfile()

    def test_any_changed_byte_is_noticed(self, store: Store) -> None:
        store.create()
        whole = store.path.read_bytes()
        for place in range(0, len(whole), 7):
            changed = bytearray(whole)
            changed[place] ^= 1
            store.path.write_bytes(changed)
            try:
                key = KeySlots.load(store.path).open_with_keyfile()
            except DormouseError:
                continue
            assert key == store.key  # white space, or the name of a field nobody reads


class TestSilence:
    def test_no_key_is_in_any_repr_error_or_file(self, store: Store) -> None:
        slots = store.create("keyfile", "passphrase", passphrase="correct horse battery")
        code = slots.add("recovery", store.key) or ""
        shown = [repr(slots), str(slots), slots.protects(), store.path.read_text()]
        for attempt, secret in (
            (slots.open_with_passphrase, "wrong horse"),
            (slots.open_with_recovery, code[::-1]),
        ):
            with pytest.raises(WrongSecret) as caught:
                attempt(secret)
            shown += [str(caught.value), caught.value.hint, repr(caught.value)]
        for secret in (store.key.hex(), code, code[::-1], "correct horse", "wrong horse"):
            assert all(secret not in text for text in shown)
        assert store.key.hex() not in store.key_file.read_text()

    def test_what_protects_is_said_honestly(self, store: Store, tmp_path: Path) -> None:
        with_file = store.create()
        assert "a program of your own" in with_file.protects()
        with_file.add("passphrase", store.key, "x y z")
        assert "no more protection" in with_file.protects()
        other = Store(tmp_path / "home")
        with_passphrase = other.create("passphrase", passphrase="x y z")
        assert "without the passphrase" in with_passphrase.protects()
        with_passphrase.add("recovery", other.key)
        assert "the passphrase or the recovery code" in with_passphrase.protects()
        for slots in (with_file, with_passphrase):
            assert slots.protects().count(".") == 1


def test_keys_and_store_ids_are_random_and_well_formed() -> None:
    assert len({new_data_key() for _ in range(50)}) == 50
    assert {len(new_data_key()) for _ in range(50)} == {32}
    ids = {new_store_id() for _ in range(50)}
    assert len(ids) == 50
    assert all(len(i) == 16 and i == i.lower() and i.isalnum() for i in ids)
