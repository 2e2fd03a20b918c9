"""Real payloads and transcripts, as the clients wrote them."""

from pathlib import Path

SAMPLES = Path(__file__).parents[2] / "samples"


def event(agent: str, name: str) -> bytes:
    return (SAMPLES / agent / "hooks" / f"{name}.json").read_bytes()


def lines(agent: str, name: str) -> list[bytes]:
    folder = "transcripts" if agent == "claude" else "rollouts"
    return (SAMPLES / agent / folder / f"{name}.jsonl").read_bytes().splitlines()
