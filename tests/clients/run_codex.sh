#!/bin/bash
# run_codex.sh RUN_DIR [codex args...]: one Codex CLI run, offline in a network namespace, against
# fake_model.py. Its requests stand in RUN_DIR/requests.jsonl afterwards.
# For hooks in tests: exec --skip-git-repo-check --json --dangerously-bypass-hook-trust "prompt".
# CLIENT_HOME and WORK name the client's home and folder, CLIENT_PATH its PATH, PYTHON the
# interpreter for the fake model, LIMIT the seconds it may take, CODEX_BIN the binary.
here=$(cd "$(dirname "$0")" && pwd)
run=$1; shift
mkdir -p "$run/home/.codex" "$run/work" "$run/tmp"; run=$(cd "$run" && pwd)
CLIENTS_DIR=${CLIENTS_DIR:-$HOME/.cache/dormouse-clients}
codex=${CODEX_BIN:-$CLIENTS_DIR/codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex}
[ -x "$codex" ] || { echo "run_codex: no binary at $codex" >&2; exit 77; }
home=${CLIENT_HOME:-$run/home}; mkdir -p "$home/.codex"
grep -q '^model_provider' "$home/.codex/config.toml" 2>/dev/null || {
old=$(cat "$home/.codex/config.toml" 2>/dev/null)
cat >"$home/.codex/config.toml" <<TOML
model = "fake"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "Fake"
base_url = "http://127.0.0.1:8399/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false
$old
TOML
}
export run codex here home
exec unshare -n bash -c '
ip link set lo up
"${PYTHON:-python3}" "$here/fake_model.py" --port 8399 --log "$run/requests.jsonl" >/dev/null & server=$!
for i in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/8399) 2>/dev/null && break; sleep 0.05; done
cd "${WORK:-$run/work}"
env -i PATH="${CLIENT_PATH:-/usr/local/bin:/usr/bin:/bin}" HOME="$home" CODEX_HOME="$home/.codex" \
  TMPDIR="$run/tmp" LANG=C.UTF-8 TERM=xterm-256color FAKE_KEY=dummy-key \
  timeout "${LIMIT:-60}" "$codex" "$@" </dev/null; rc=$?
kill $server
exit $rc' run_codex "$@"
