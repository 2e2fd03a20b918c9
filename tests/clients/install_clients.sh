#!/bin/bash
# install_clients.sh: the real agents for tests/clients, through npm, into CLIENTS_DIR (default
# ~/.cache/dormouse-clients; about 760 MB). What is there already is left as it is.
# --others: OpenCode too (340 MB more), and what it would load for plugins.
set -euo pipefail
CLIENTS_DIR=${CLIENTS_DIR:-$HOME/.cache/dormouse-clients}
mkdir -p "$CLIENTS_DIR"
claude=$CLIENTS_DIR/claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude
codex=$CLIENTS_DIR/codex/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex
npm_install() { npm install --silent --no-audit --no-fund --prefix "$@"; }
[ -x "$claude" ] || npm_install "$CLIENTS_DIR/claude" @anthropic-ai/claude-code@2.1.328
[ -x "$codex" ] || npm_install "$CLIENTS_DIR/codex" @openai/codex@0.169.0
ls -la "$claude" "$codex"
if [ "${1:-}" = --others ]; then
  opencode=$CLIENTS_DIR/opencode/node_modules/opencode-linux-x64/bin/opencode
  [ -x "$opencode" ] || npm_install "$CLIENTS_DIR/opencode" opencode-ai@1.18.33
  plugin=$CLIENTS_DIR/opencode-plugin
  [ -d "$plugin/node_modules" ] || npm_install "$plugin" --ignore-scripts @opencode-ai/plugin@1.18.33
  ls -la "$opencode"
fi
