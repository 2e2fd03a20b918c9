#!/bin/bash
# run_claude.sh RUN_DIR [claude args...]: one Claude Code run, offline in a network namespace,
# against fake_model.py. Its requests stand in RUN_DIR/requests.jsonl afterwards.
# CLIENT_HOME and WORK name the client's home and folder, CLIENT_PATH its PATH, PYTHON the
# interpreter for the fake model, LIMIT the seconds it may take, CLAUDE_BIN the binary.
here=$(cd "$(dirname "$0")" && pwd)
run=$1; shift
mkdir -p "$run/home" "$run/work" "$run/tmp"; run=$(cd "$run" && pwd)
CLIENTS_DIR=${CLIENTS_DIR:-$HOME/.cache/dormouse-clients}
claude=${CLAUDE_BIN:-$CLIENTS_DIR/claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude}
[ -x "$claude" ] || { echo "run_claude: no binary at $claude" >&2; exit 77; }
export run claude here
exec unshare -n bash -c '
ip link set lo up
"${PYTHON:-python3}" "$here/fake_model.py" --port 8399 --log "$run/requests.jsonl" >/dev/null & server=$!
for i in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/8399) 2>/dev/null && break; sleep 0.05; done
cd "${WORK:-$run/work}"
env -i PATH="${CLIENT_PATH:-/usr/local/bin:/usr/bin:/bin}" HOME="${CLIENT_HOME:-$run/home}" \
  TMPDIR="$run/tmp" CLAUDE_CODE_TMPDIR="$run/tmp" LANG=C.UTF-8 TERM=xterm-256color \
  ANTHROPIC_API_KEY=dummy-key ANTHROPIC_BASE_URL=http://127.0.0.1:8399 \
  DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 \
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
  timeout "${LIMIT:-60}" "$claude" "$@" </dev/null; rc=$?
kill $server
exit $rc' run_claude "$@"
