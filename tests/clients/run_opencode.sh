#!/bin/bash
# run_opencode.sh RUN_DIR PROMPT: one OpenCode run, offline in a network namespace, against
# fake_model.py. Its requests stand in RUN_DIR/requests.jsonl afterwards.
# CLIENT_HOME and WORK name the client's home and folder, PYTHON the interpreter for the fake model,
# LIMIT the seconds it may take. What it loads for plugins from the registry must lie in its folder.
here=$(cd "$(dirname "$0")" && pwd)
run=$1; prompt=$2
mkdir -p "$run/home" "$run/work" "$run/tmp"; run=$(cd "$run" && pwd)
CLIENTS_DIR=${CLIENTS_DIR:-$HOME/.cache/dormouse-clients}
opencode=${OPENCODE_BIN:-$CLIENTS_DIR/opencode/node_modules/opencode-linux-x64/bin/opencode}
[ -x "$opencode" ] || { echo "run_opencode: no binary at $opencode" >&2; exit 77; }
config='{"model": "anthropic/claude-sonnet-4-5", "autoupdate": false, "share": "disabled", "provider":
  {"anthropic": {"options": {"baseURL": "http://127.0.0.1:8399/v1", "apiKey": "dummy"}}}}'
export run opencode here prompt config
exec unshare -n bash -c '
ip link set lo up
"${PYTHON:-python3}" "$here/fake_model.py" --port 8399 --log "$run/requests.jsonl" >/dev/null & server=$!
for i in $(seq 100); do (exec 3<>/dev/tcp/127.0.0.1/8399) 2>/dev/null && break; sleep 0.05; done
cd "${WORK:-$run/work}"
env -i PATH="/usr/local/bin:/usr/bin:/bin" HOME="${CLIENT_HOME:-$run/home}" TMPDIR="$run/tmp" \
  LANG=C.UTF-8 OPENCODE_CONFIG_CONTENT="$config" OPENCODE_DISABLE_MODELS_FETCH=1 \
  OPENCODE_DISABLE_DEFAULT_PLUGINS=1 OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 \
  timeout "${LIMIT:-90}" "$opencode" run <<<"$prompt"; rc=$?
kill $server
exit $rc'
