"""New keys for a store: nothing is lost at any moment, and the old data key opens only backups."""

import json
from pathlib import Path

import pytest

from dormouse.errors import BadRequest, Conflict, Locked, NotFound, WrongSecret
from dormouse.keys import KeySlots, new_data_key, rotating
from tests.unit.keys.store import Store

SALT = b"s" * 16
WORDS = "correct horse battery"


def again(store: Store) -> KeySlots:
    return KeySlots.load(store.path)


class TestRemove:
    def test_what_was_removed_opens_no_longer_and_the_rest_does(self, store: Store) -> None:
        slots = store.create("keyfile", "passphrase", passphrase=WORDS)
        rotating.remove(slots, "passphrase")
        assert again(store).kinds == ("keyfile",)
        with pytest.raises(Locked):
            again(store).open_with_passphrase(WORDS)
        assert again(store).open_with_keyfile() == store.key

    def test_the_last_way_in_that_is_no_paper_stays(self, store: Store) -> None:
        slots = store.create()
        slots.add("recovery", store.key)
        with pytest.raises(Conflict):
            rotating.remove(slots, "keyfile")
        assert again(store).kinds == ("keyfile", "recovery")

    def test_a_key_file_stays_where_it_is(self, store: Store) -> None:
        slots = store.create("keyfile", "passphrase", passphrase=WORDS)
        rotating.remove(slots, "keyfile")
        assert store.key_file.exists()

    def test_what_is_not_there_is_told(self, store: Store) -> None:
        with pytest.raises(NotFound):
            rotating.remove(store.create(), "passphrase")


class TestRewrap:
    def test_each_slot_opens_the_same_data_key_in_a_new_way(self, store: Store) -> None:
        slots = store.create("keyfile", "passphrase", passphrase=WORDS)
        code = slots.add("recovery", store.key) or ""
        before = store.key_file.read_text()
        new_code = rotating.rewrap(slots, store.key, "other words")
        assert new_code not in (None, code)
        now = again(store)
        assert now.open_with_keyfile() == store.key
        assert now.open_with_passphrase("other words") == store.key
        assert now.open_with_recovery(new_code or "") == store.key
        with pytest.raises(WrongSecret):
            now.open_with_passphrase(WORDS)
        with pytest.raises(WrongSecret):
            now.open_with_recovery(code)
        assert now.key_file != store.key_file
        assert store.key_file.read_text() == before, "a key file is never overwritten"

    def test_a_passphrase_slot_needs_a_passphrase_and_nothing_is_changed_without(
        self, store: Store
    ) -> None:
        slots = store.create("passphrase", passphrase=WORDS)
        before = store.path.read_bytes()
        with pytest.raises(BadRequest):
            rotating.rewrap(slots, store.key, None)
        assert store.path.read_bytes() == before

    def test_a_slot_that_this_version_does_not_know_is_not_lost(self, store: Store) -> None:
        store.create()
        document = store.document()
        document["slots"].append({"kind": "keyring"})
        store.path.write_text(json.dumps(document))
        with pytest.raises(Conflict, match="keyring"):
            rotating.rewrap(again(store), store.key, None)


class TestNewDataKey:
    def test_until_the_new_file_is_there_the_old_slots_hold(self, store: Store) -> None:
        rotating.plan(store.create(), store.key, new_data_key(), SALT, None)
        assert again(store).open_with_keyfile() == store.key
        assert rotating.settle(again(store), b"o" * 16) is False
        assert again(store).open_with_keyfile() == store.key
        assert "next" not in store.document()

    def test_once_it_is_there_the_new_ones_do(self, store: Store) -> None:
        new = new_data_key()
        slots = store.create("keyfile", "passphrase", passphrase=WORDS)
        rotating.plan(slots, store.key, new, SALT, WORDS)
        assert rotating.settle(again(store), SALT) is True
        assert again(store).open_with_keyfile() == new
        assert again(store).open_with_passphrase(WORDS) == new
        assert rotating.settle(again(store), SALT) is False, "once"

    def test_the_keys_from_before_are_kept_for_older_backups(self, store: Store) -> None:
        second, third = new_data_key(), new_data_key()
        slots = store.create()
        rotating.plan(slots, store.key, second, SALT, None)
        rotating.settle(slots, SALT)
        rotating.plan(slots, second, third, SALT, None)
        rotating.settle(slots, SALT)
        assert rotating.former(again(store), third) == [store.key, second]
        assert again(store).open_with_keyfile() == third

    def test_no_key_stands_in_the_file_in_clear(self, store: Store, tmp_path: Path) -> None:
        new = new_data_key()
        slots = store.create()
        rotating.plan(slots, store.key, new, SALT, None)
        rotating.settle(slots, SALT)
        text = store.path.read_text()
        assert store.key.hex() not in text
        assert new.hex() not in text
