// Runs inside a Pi that a person runs in a terminal: `sluice hooks install pi` makes Pi load it. It requests
// approval before a tool is called, from the terminal and from the server of the data directory at once:
// the first answer counts. Without a server, nothing is asked, and in doubt Pi goes on as without it.
import { connectToServer } from '../connect-hook.js'

/** Tools that only read. */
const readingTools = new Set(['read', 'grep', 'find', 'ls'])
/** How long the server may take to accept a message. */
const acceptMs = 2000
/** How long a rule may take to decide, before the terminal asks. */
const ruleMs = 150
/** A longer call is shown without its middle: so much of its beginning and of its end. */
const shownLength = { first: 1400, last: 600 }

/** Requests and reports for one Pi. */
const ask = (pi, data) => {
  // Sluice runs this Pi itself, and asks about its calls already.
  if (process.env.AGENT_PROCESS_TAG !== undefined) return
  const report = (name, ctx, more = {}) => send(data, inputOf(name, ctx, more)).isAccepted
  const reportSoon = (name) => (_, ctx) => void report(name, ctx)
  pi.on('session_start', reportSoon('SessionStart'))
  pi.on('agent_start', reportSoon('UserPromptSubmit'))
  pi.on('agent_end', reportSoon('Stop'))
  pi.on('session_shutdown', (_, ctx) => report('SessionEnd', ctx))
  pi.on('tool_call', async (event, ctx) => {
    if (readingTools.has(event.toolName) || !isInTerminal(ctx)) return undefined
    const call = callIn(event)
    const question = send(data, inputOf('PermissionRequest', ctx, call))
    if (!(await question.isAccepted)) return undefined
    const { byTerminal, action, updatedInput, message } = await firstReply(question, event, ctx)
    // It waits for nobody any more. Who has answered must be known before the question is closed.
    const reported = report(action === 'allow' ? 'PostToolUse' : 'PermissionDenied', ctx, call)
    if (byTerminal) await reported
    question.close()
    if (action !== 'allow') return { block: true, reason: message ?? 'Denied.' }
    if (updatedInput !== undefined) replaceFields(event.input, updatedInput)
    return undefined
  })
}

/** What the server or the terminal answers first. A question that the server gives up is never an answer. */
const firstReply = async (question, event, ctx) => {
  const soon = await Promise.race([question.reply, later(ruleMs)])
  if (soon !== undefined) return soon
  const closing = new AbortController()
  const signal = ctx.signal ? AbortSignal.any([ctx.signal, closing.signal]) : closing.signal
  const { title, hiddenCount } = dialogOf(event)
  const yes = hiddenCount > 0 ? `Yes, without seeing ${hiddenCount} characters` : 'Yes'
  // Enter takes the first one.
  const choices = hiddenCount > 0 ? ['No', yes] : [yes, 'No']
  const dialog = ctx.ui.select(title, choices, { signal }).then((choice) => ({
    byTerminal: true,
    ...(choice === yes ? { action: 'allow' } : { action: 'deny', message: 'Denied by the user.' }),
  }))
  // Without the server, the dialog is all that is left.
  const answer = question.reply.then((reply) => reply ?? dialog)
  try {
    return await Promise.race([answer, dialog])
  } finally {
    closing.abort()
  }
}

const later = (ms) => new Promise((resolve) => setTimeout(() => resolve(undefined), ms))

/** Sends a message, as a hook does. */
const send = (data, input) => {
  let accept
  let settle
  const isAccepted = new Promise((resolve) => {
    accept = resolve
  })
  const reply = new Promise((resolve) => {
    settle = resolve
  })
  const end = () => {
    clearTimeout(timer)
    accept(false)
    settle(undefined)
  }
  const onLine = (line) => {
    clearTimeout(timer)
    accept(true)
    const { output } = parsed(line)
    if (output !== undefined) settle(parsed(output))
  }
  const socket = connected(data, { onLine, onClose: end })
  const close = () => socket?.destroy()
  const timer = setTimeout(close, acceptMs)
  if (!socket) end()
  const body = Buffer.from(JSON.stringify(input))
  const sender = { agent: 'pi', scope: 'user', isAttended: true, pid: process.pid }
  socket?.write(`${JSON.stringify({ ...sender, length: body.length })}\n`)
  socket?.write(body)
  return { close, isAccepted, reply }
}

/** Undefined if there is no such data directory. */
const connected = (data, listeners) => {
  try {
    return connectToServer(data, listeners)
  } catch {
    return undefined
  }
}

const parsed = (text) => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

const inputOf = (hook_event_name, ctx, more) => ({
  session_id: ctx.sessionManager.getSessionId(),
  transcript_path: ctx.sessionManager.getSessionFile(),
  cwd: ctx.cwd,
  hook_event_name,
  ...more,
})

const callIn = ({ toolCallId, toolName, input }) => ({
  tool_use_id: toolCallId,
  tool_name: toolName,
  tool_input: input,
})

/** Earlier versions of Pi do not say how they run. */
const isInTerminal = ({ mode, hasUI }) =>
  mode === undefined ? hasUI && process.stdout.isTTY === true : mode === 'tui'

/** What the call would do, without characters that move the cursor, and how many are not shown. */
const dialogOf = ({ toolName, input }) => {
  const text = typeof input.command === 'string' ? input.command : JSON.stringify(input)
  const { first, last } = shownLength
  const hiddenCount = Math.max(0, text.length - first - last)
  const gap = `\n… ${hiddenCount} characters are not shown …\n`
  const shown = hiddenCount > 0 ? text.slice(0, first) + gap + text.slice(-last) : text
  const title = `Allow ${toolName}?\n\n${shown.replaceAll(/[^\n\P{C}]/gu, '�')}\n`
  return { title, hiddenCount }
}

const replaceFields = (target, fields) => {
  for (const key of Object.keys(target)) delete target[key]
  Object.assign(target, fields)
}

// biome-ignore lint/style/noDefaultExport: the extension loads it by its default export.
export default ask
