"""Transcripts named by a payload: only a plain file of ours below the agent's folder is opened."""

import os
from pathlib import Path

import pytest

from dormouse.hosts import safe

SESSION = "eaf70cd2-1e0d-4a09-916f-fc5bb9ebfe41"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "agent" / "projects"
    (folder / "-work").mkdir(parents=True)
    return folder


@pytest.fixture
def transcript(root: Path) -> Path:
    path = root / "-work" / f"{SESSION}.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":2}\n')
    return path


def opened(path: Path | str, root: Path, session_id: str | None = SESSION) -> safe.SafeFile | None:
    return safe.open_transcript(str(path), root=root, session_id=session_id, uid=os.getuid())


def test_a_transcript_of_ours_is_opened(root: Path, transcript: Path) -> None:
    file = opened(transcript, root)
    assert file
    with file:
        assert file.inode == transcript.stat().st_ino
        assert (file.size, file.head()) == (16, b'{"a":1}')
        assert file.read_lines(0) == ([b'{"a":1}', b'{"b":2}'], 16)


def test_a_root_that_is_itself_a_symbolic_link_is_fine(root: Path, transcript: Path) -> None:
    link = root.parent / "moved"
    link.symlink_to(root)
    file = opened(link / "-work" / transcript.name, link)
    assert file
    file.close()


def test_a_fifo_is_refused_without_waiting(root: Path) -> None:
    path = root / f"{SESSION}.jsonl"
    os.mkfifo(path)
    assert opened(path, root) is None


def test_links_out_of_the_folder_are_refused(root: Path, tmp_path: Path) -> None:
    secret = tmp_path / f"{SESSION}.jsonl"
    secret.write_text("secret\n")
    link = root / f"{SESSION}.jsonl"
    link.symlink_to(secret)
    (root / "door").symlink_to(tmp_path)
    assert opened(link, root) is None
    assert opened(root / "door" / secret.name, root) is None
    assert opened(f"{root}/../../{secret.name}", root) is None


@pytest.mark.parametrize("path", ["", "relative.jsonl", "/nowhere/x.jsonl", "/etc/passwd", "/\0"])
def test_other_paths_are_refused(path: str, root: Path) -> None:
    assert opened(path, root, None) is None


def test_a_folder_a_socket_and_a_device_are_refused(root: Path) -> None:
    folder = root / f"{SESSION}.jsonl"
    folder.mkdir()
    assert opened(folder, root) is None
    assert safe.open_transcript("/dev/zero", root=Path("/dev"), session_id=None, uid=0) is None


def test_another_sessions_file_is_refused(root: Path, transcript: Path) -> None:
    assert opened(transcript, root, "11111111-2222-4333-8444-555555555555") is None
    for short in ("", "e", "jsonl"):
        assert opened(transcript, root, short) is None


def test_another_users_file_is_refused(root: Path, transcript: Path) -> None:
    stranger = os.getuid() + 1
    assert (
        safe.open_transcript(str(transcript), root=root, session_id=SESSION, uid=stranger) is None
    )


def test_a_name_that_only_begins_like_the_root_is_outside(root: Path) -> None:
    beside = root.parent / "projects-of-another"
    beside.mkdir()
    path = beside / f"{SESSION}.jsonl"
    path.write_text("x\n")
    assert opened(path, root) is None


def lines_of(
    path: Path, root: Path, offset: int = 0, budget: int = safe.STEP
) -> tuple[list[bytes], int, int]:
    file = opened(path, root)
    assert file
    with file:
        lines, end = file.read_lines(offset, budget)
        return lines, end, file.skipped


def test_a_line_that_is_still_being_written_waits(root: Path, transcript: Path) -> None:
    transcript.write_bytes(b'{"a":1}\n{"b"')
    assert lines_of(transcript, root) == ([b'{"a":1}'], 8, 0)
    assert lines_of(transcript, root, 8) == ([], 8, 0)
    transcript.write_bytes(b'{"a":1}\n{"b":2}\n')
    assert lines_of(transcript, root, 8) == ([b'{"b":2}'], 16, 0)
    assert lines_of(transcript, root, 16) == ([], 16, 0)
    assert lines_of(transcript, root, 99) == ([], 99, 0)


def test_an_offset_inside_a_line_goes_on_with_the_next(root: Path, transcript: Path) -> None:
    assert lines_of(transcript, root, 3) == ([b'{"b":2}'], 16, 0)
    assert lines_of(transcript, root, 10)[0] == []


def test_reading_in_steps_finds_every_line_once(root: Path, transcript: Path) -> None:
    wanted = [b"x" * (number % 7) for number in range(200)]
    transcript.write_bytes(b"".join(line + b"\n" for line in wanted))
    found, offset = [], 0
    while offset < transcript.stat().st_size:
        lines, offset, _ = lines_of(transcript, root, offset, 16)
        found += lines
    assert found == wanted


def test_a_line_of_more_than_two_mebibytes_is_skipped_and_counted(
    root: Path, transcript: Path
) -> None:
    for length in (safe.MAX_LINE + 1, 3 * safe.STEP):
        transcript.write_bytes(b"before\n" + b"x" * length + b"\nafter\n")
        found, offset, skipped = [], 0, 0
        while offset < transcript.stat().st_size:
            lines, offset, more = lines_of(transcript, root, offset)
            found += lines
            skipped += more
        assert (found, skipped) == ([b"before", b"after"], 1)


def test_transcripts_are_listed_in_order_and_links_are_left_out(
    root: Path, transcript: Path, tmp_path: Path
) -> None:
    first = root / "a.jsonl"
    first.write_text("")
    (root / "b.jsonl").symlink_to(transcript)
    (root / "c.txt").write_text("")
    (root / "d.jsonl").mkdir()
    assert safe.list_transcripts(root, ".jsonl") == sorted([first, transcript])
    assert safe.list_transcripts(tmp_path / "missing", ".jsonl") == []
