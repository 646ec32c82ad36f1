// The program that agents start as their hook: `sluice-hook.js <agent> <scope> <data directory>`. It
// passes what the agent says to the server of the data directory, and prints what a person decided. In
// doubt it prints nothing and ends at once: then the agent asks in its own terminal, as without a hook.
//
// Plain JavaScript that loads almost nothing, because agents start it at each tool call.
import { connectToServer } from './connect-hook.js'

/** How much an agent may pass. */
const maxInput = 16 * 1024 * 1024
/** How long the server may take to accept a message. */
const acceptMs = 2000
/** How long the server may say nothing while a person decides. It sends a sign of life every 5 s. */
const silenceMs = 20_000
const parentCheckMs = 1000

const [agent = '', scope = '', data = ''] = process.argv.slice(2)
const { env } = process
const parent = process.ppid
const agentPid = (agent === 'claude' && Number(env.CLAUDE_PID)) || parent

const end = () => process.exit(0)
process.on('uncaughtException', end)
process.stdout.on('error', end)

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

let isPrinting = false
let silence = setTimeout(end, acceptMs)
const waitFor = (ms) => {
  clearTimeout(silence)
  silence = setTimeout(end, ms)
}

const send = (socket, input) => {
  // Of the environment, only this: the rest holds keys.
  const isAttended = env.CLAUDE_CODE_SESSION_ATTENDED
    ? env.CLAUDE_CODE_SESSION_ATTENDED !== '0'
    : !env.CLAUDE_CODE_ENTRYPOINT?.startsWith('sdk')
  const head = { agent, scope, isAttended, pid: agentPid, length: input.length }
  socket.write(`${JSON.stringify(head)}\n`)
  socket.write(input)
}

const receive = (line) => {
  if (line === '') return
  const { output } = JSON.parse(line)
  if (output === undefined) return
  isPrinting = true
  process.stdout.write(output, end)
}

const run = () => {
  const chunks = []
  let length = 0
  const socket = connectToServer(data, {
    onLine(line) {
      waitFor(silenceMs)
      receive(line)
    },
    onClose() {
      if (!isPrinting) end()
    },
  })
  process.stdin.on('error', end)
  process.stdin.on('data', (chunk) => {
    waitFor(acceptMs)
    length += chunk.length
    if (length > maxInput) end()
    chunks.push(chunk)
  })
  process.stdin.on('end', () => {
    waitFor(acceptMs)
    send(socket, Buffer.concat(chunks))
  })
  // Agents that are killed leave their hooks behind.
  setInterval(() => {
    if (process.ppid !== parent || !isAlive(agentPid)) end()
  }, parentCheckMs).unref()
}

// Sluice runs this agent itself, and asks about its calls already.
if (env.AGENT_PROCESS_TAG !== undefined) end()
else run()
