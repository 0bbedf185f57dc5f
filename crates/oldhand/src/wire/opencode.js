// Written by `oldhand install opencode`; `oldhand uninstall opencode` takes it away.
//
// Tells Oldhand what happens in a session and puts its rare answers where the model reads them: behind the user's prompt
// or behind the result of a tool. Whatever goes wrong in here, OpenCode goes on as if this file were not there.
import { spawn } from "node:child_process"

const BINARY = "oldhand"
const ARGUMENTS = ["hook", "opencode"]
// Oldhand ends by itself long before.
const PATIENCE_MS = 3000
// So many failures in a row mean that there is nobody to talk to for a while.
const FAILURES = 3
const PAUSE_MS = 60_000
const LONGEST = 1_000_000
const FENCE = /<oldhand-memory ([0-9a-f]{8})>/g

let failures = 0
let failedAt = 0

function tell(payload) {
  return new Promise((resolve) => {
    if (failures >= FAILURES && Date.now() - failedAt < PAUSE_MS) return resolve()
    let heard = ""
    const end = (text, failed) => {
      clearTimeout(timer)
      failures = failed ? failures + 1 : 0
      failedAt = Date.now()
      resolve(text)
    }
    const child = spawn(BINARY, ARGUMENTS, { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      end(undefined, true)
    }, PATIENCE_MS)
    child.on("error", () => end(undefined, true))
    child.stdout.on("data", (bytes) => (heard += bytes))
    child.on("close", () => {
      let text
      try {
        text = JSON.parse(heard).text
      } catch {}
      end(typeof text === "string" ? text : undefined, false)
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload, (_, value) => (typeof value === "string" ? value.slice(0, LONGEST) : value)))
  })
}

// A hook that throws would break the prompt or the tool it belongs to.
const quietly = (hook) => async (input, output) => {
  try {
    await hook(input, output)
  } catch {}
}

export const Oldhand = async ({ client, directory, worktree }) => {
  // The user and the repository may both have this file; one of them is enough.
  const served = (globalThis[Symbol.for("oldhand.opencode")] ??= new Set())
  if (served.has(directory)) return {}
  served.add(directory)

  const parents = new Map()
  const begun = new Set()
  const waiting = new Map()
  const lastWords = new Map()
  const arrived = new Map()

  const parentOf = async (session) => {
    if (!parents.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch(() => undefined)
      parents.set(session, found?.data?.parentID)
    }
    return parents.get(session)
  }
  // A subagent has a session of its own; what it does belongs to the session of whoever started it.
  const named = async (session, payload) => {
    let root = session
    for (let depth = 0; depth < 8; depth++) {
      const parent = await parentOf(root)
      if (!parent) break
      root = parent
    }
    const whose = root === session ? { session } : { session: root, agent: session }
    return { cwd: directory, worktree, ...whose, ...payload }
  }
  const say = async (session, payload) => tell(await named(session, payload))
  // What was said when the model could not be told is told at the next occasion.
  const keep = (session, text) => {
    if (text) waiting.set(session, [waiting.get(session), text].filter(Boolean).join("\n"))
  }
  const take = (session) => {
    const text = waiting.get(session)
    waiting.delete(session)
    if (text && !arrived.has(session)) arrived.set(session, new Set())
    return text
  }
  // The agent's last words, and which of ours were seen on their way to the model. OpenCode may end before it says that it idles.
  const news = (session) => {
    const text = lastWords.get(session)
    lastWords.delete(session)
    return { text, delivered: arrived.has(session) ? [...arrived.get(session)] : undefined }
  }

  return {
    "chat.message": quietly(async (input, output) => {
      const session = input.sessionID
      if (!begun.has(session)) {
        begun.add(session)
        keep(session, await say(session, { hook_event_name: "session.start" }))
      }
      keep(session, await say(session, { hook_event_name: "chat.message", input, output: { parts: output.parts } }))
      const text = take(session)
      if (!text) return
      const id = "prt_" + Date.now().toString(16).padStart(12, "0") + Math.random().toString(36).slice(2, 12).padEnd(14, "0")
      output.parts.push({ id, sessionID: session, messageID: output.message.id, type: "text", text, synthetic: true })
    }),
    "tool.execute.after": quietly(async (input, output) => {
      const { output: result, content, metadata, isError } = output
      const back = { output: result, content, isError, metadata: { exit: metadata?.exit } }
      const payload = { hook_event_name: "tool.execute.after", input, output: back }
      keep(input.sessionID, await say(input.sessionID, payload))
      const text = take(input.sessionID)
      if (!text) return
      if (typeof output.output === "string") output.output += "\n\n" + text
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text })
    }),
    // What is sent to the model: proof that what was said arrives there.
    "experimental.chat.messages.transform": quietly(async (_, output) => {
      const session = output.messages.at(-1)?.info.sessionID
      if (!arrived.has(session)) return
      for (const mark of JSON.stringify(output.messages).matchAll(FENCE)) arrived.get(session).add(mark[1])
    }),
    "experimental.text.complete": quietly(async (input, output) => {
      lastWords.set(input.sessionID, output.text)
    }),
    event: quietly(async ({ event }) => {
      const { type, properties } = event
      const session = properties?.sessionID
      if (type === "session.created") parents.set(session, properties.info?.parentID)
      // Tools that fail are told here and nowhere else.
      const failed = type === "message.part.updated" && properties.part?.type === "tool" && properties.part.state?.status === "error"
      if (failed || type === "session.compacted") keep(session, await say(session, { hook_event_name: "event", event }))
      if (type === "session.idle") await say(session, { hook_event_name: "session.idle", ...news(session) })
    }),
    dispose: quietly(async () => {
      served.delete(directory)
      const roots = [...begun].filter((session) => !parents.get(session))
      await Promise.all(roots.map((session) => say(session, { hook_event_name: "session.end", ...news(session) })))
    }),
  }
}
