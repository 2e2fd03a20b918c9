"""A scripted stand-in for an agent's program as a thinker: claude or codex, by its arguments.

It notes what it was given in HOME/seen.jsonl and does what HOME/script.json says, as
tests/clients/fake_model.py does. It imports nothing of Dormouse.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HOME = Path(os.environ["HOME"])
USAGE = {"input_tokens": 10, "output_tokens": 5}


def files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def note(given: str) -> None:
    seen = {
        "pid": os.getpid(),
        "parent": os.getppid(),
        "argv": sys.argv,
        "env": dict(os.environ),
        "cwd": str(Path.cwd()),
        "mode": oct(Path.cwd().parent.stat().st_mode & 0o777),
        "files": files(Path.cwd()),
        "around": files(Path.cwd().parent),
        "given": given,
    }
    with (HOME / "seen.jsonl").open("a") as out:
        out.write(json.dumps(seen) + "\n")


def fork(plan: dict[str, Any]) -> None:
    """Leave children behind: one in this group, one in a session of its own, and its child."""
    sleep = "import time; time.sleep(600)"
    deep = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {sleep!r}]); {sleep}"
    near = subprocess.Popen([sys.executable, "-c", sleep])
    far = subprocess.Popen([sys.executable, "-c", deep], start_new_session=True)
    (HOME / "children.json").write_text(json.dumps([near.pid, far.pid]))


def claude(plan: dict[str, Any]) -> None:
    said: dict[str, Any] = {"type": "result", "subtype": "success", "is_error": False}
    said["usage"] = USAGE
    if "status" in plan:
        said |= {"is_error": True, "api_error_status": plan["status"], "result": plan["message"]}
    elif "text" in plan:
        said |= {"result": plan["text"]}
    else:
        said |= {"result": json.dumps(plan["answer"]), "structured_output": plan["answer"]}
    print(json.dumps(said))


def codex(plan: dict[str, Any]) -> None:
    print(json.dumps({"type": "thread.started", "thread_id": "t"}))
    if "status" in plan:
        print(json.dumps({"type": "turn.failed", "error": {"message": plan["message"]}}))
        sys.exit(1)
    text = plan["text"] if "text" in plan else json.dumps(plan["answer"])
    item = {"id": "item_0", "type": "agent_message", "text": text}
    print(json.dumps({"type": "item.completed", "item": item}))
    print(json.dumps({"type": "turn.completed", "usage": USAGE}))


def main() -> None:
    plan = json.loads((HOME / "script.json").read_text())
    if plan.get("deaf"):  # never reads its standard input
        note("")
        time.sleep(600)
    note(sys.stdin.read())
    if plan.get("fork"):
        fork(plan)
    if plan.get("endless"):
        while True:
            sys.stdout.write("x" * 65536)
    if "raw" in plan:
        print(plan["raw"])
        sys.exit(plan.get("code", 0))
    time.sleep(plan.get("sleep", 0))
    (codex if sys.argv[1:2] == ["exec"] else claude)(plan)


if __name__ == "__main__":
    main()
