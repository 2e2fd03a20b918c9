// Dormouse's plugin for OpenCode, written by `dormouse connect`. It carries events to the memory and
// what the memory says into the system prompt; it decides nothing and never throws.
import { spawn } from "node:child_process"

const HOOK = "@HOOK@"

function ring(event, payload) {
  return new Promise((resolve) => {
    let printed = ""
    try {
      const child = spawn(HOOK, ["opencode", event], { stdio: ["pipe", "pipe", "ignore"] })
      child.on("error", () => resolve(""))
      child.on("close", () => resolve(printed))
      child.stdout.on("data", (data) => (printed += data))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve("")
    }
  })
}

function context(printed) {
  try {
    return JSON.parse(printed).hookSpecificOutput.additionalContext || ""
  } catch {
    return ""
  }
}

export const Dormouse = async ({ directory }) => {
  const shown = new Map() // session -> what its start and its last prompt were shown
  const said = new Map() // session -> the agent's last words
  const users = new Set() // the person's messages: their parts are not the agent's words
  let last = null
  const of = (id) => shown.get(id) || shown.set(id, { start: "", prompt: "" }).get(id)
  return {
    event: async ({ event }) => {
      const about = event.properties || {}
      if (event.type === "message.updated" && about.info?.role === "user") users.add(about.info.id)
      if (event.type === "message.part.updated") {
        const part = about.part || {}
        if (part.type === "text" && !users.has(part.messageID)) said.set(part.sessionID, part.text)
      }
      if (event.type === "session.created") {
        const id = about.sessionID || about.info?.id
        const payload = { ...about, sessionID: id, cwd: directory, source: "startup" }
        of(id).start = context(await ring("session.created", payload))
      }
      if (event.type === "session.idle") {
        const answer = said.get(about.sessionID) || ""
        said.delete(about.sessionID)
        await ring("session.idle", { ...about, cwd: directory, last_assistant_message: answer })
      }
    },
    "chat.message": async (input, output) => {
      last = input.sessionID
      of(last).prompt = context(await ring("chat.message", { input, output, cwd: directory }))
    },
    "experimental.chat.system.transform": async (input, output) => {
      const about = shown.get(input?.sessionID || last)
      for (const text of [about?.start, about?.prompt]) if (text) output.system.push(text)
    },
  }
}
