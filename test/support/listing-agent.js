// Speaks the Agent Client Protocol and lists conversations, in the way that its argument names:
// - `pages N`: N pages of two conversations
// - `many`: pages of 300 conversations. `endless`: a new cursor with each page. `repeated`: the same cursor each time
// - `odd`: items without fields, of other kinds, of other directories, and with hostile titles
// - `garbage`: an answer that is no list. `flood`: lines that are no answer, without end
// - `silent`, `late`: no answer to `session/list`, or none to its second page
// - `dies`: it exits instead of answering. `login`: it answers that a login is needed
// - `none`, `stuck`: it lists nothing, and with `stuck` it also ignores SIGTERM and the end of its input
// - `no-resume`: it lists, but cannot continue. `forgets`: it has lost what it listed
// It appends its pid to the file in PID_FILE, and each request to the file in REQUEST_FILE.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [way = 'pages', count = '1'] = process.argv.slice(2)
const { PID_FILE, REQUEST_FILE } = process.env
if (PID_FILE) appendFileSync(PID_FILE, `${process.pid}\n`)

const print = (line) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
const cwd = process.cwd()
const at = (day) => new Date(Date.UTC(2026, 0, day)).toISOString()
const item = (n) => ({ sessionId: `c${n}`, cwd, title: `Talk ${n}`, updatedAt: at(n) })

const odd = [
  null,
  'text',
  {},
  { sessionId: 7, cwd },
  { sessionId: '', cwd },
  { sessionId: 'a\u001b[2Jb', cwd },
  { sessionId: 'x'.repeat(501), cwd },
  { sessionId: 'bare' },
  { sessionId: 'elsewhere', cwd: '/elsewhere', title: 'Of another project' },
  { sessionId: 'slash', cwd: `${cwd}/`, title: 4, updatedAt: 'yesterday' },
  { sessionId: 'hostile', cwd, title: 'a\u001b]0;b\u0007\n\u202ec\ud800 d', updatedAt: at(3) },
  { sessionId: 'long', cwd, title: 'y'.repeat(1_000_000), updatedAt: at(2) },
  { sessionId: 'long', cwd, title: 'Once more' },
]

const pageOf = (cursor) => {
  const number = Number(cursor ?? 0)
  if (way === 'odd') return { sessions: odd, nextCursor: null }
  if (way === 'garbage') return ['no list']
  if (way === 'repeated') return { sessions: [item(1)], nextCursor: 'same' }
  if (way === 'endless') return { sessions: [item(1)], nextCursor: `${number + 1}` }
  if (way === 'many') {
    const sessions = Array.from({ length: 300 }, (_, each) => item(300 * number + each))
    return { sessions, nextCursor: `${number + 1}` }
  }
  const pages = way === 'late' ? 2 : Number(count)
  const sessions = [item(2 * number + 1), item(2 * number + 2)]
  return { sessions, ...(number + 1 < pages && { nextCursor: `${number + 1}` }) }
}

const flood = () => print({ method: 'session/update', params: {} }) && setImmediate(flood)

const list = (id, { cursor }) => {
  if (way === 'silent' || way === 'stuck' || (way === 'late' && cursor !== undefined)) return
  if (way === 'flood') return flood()
  if (way === 'login')
    return print({ id, error: { code: -32000, message: 'Authentication required' } })
  if (way === 'dies') {
    process.stderr.write('The database is locked.\n')
    process.exit(3)
  }
  print({ id: 'own', method: 'fs/read_text_file', params: { path: '/etc/passwd' } })
  print({ id, result: pageOf(cursor) })
}

const agentCapabilities = {
  loadSession: way !== 'no-resume',
  ...(way !== 'none' && { sessionCapabilities: { list: {} } }),
}

let open
const answer = ({ id, method, params }) => {
  if (method === 'initialize') print({ id, result: { protocolVersion: 1, agentCapabilities } })
  else if (method === 'session/list') list(id, params)
  else if (method === 'session/new') {
    open = 'new'
    print({ id, result: { sessionId: open } })
  } else if (method === 'session/load' && way === 'forgets')
    print({ id, error: { code: -32002, message: 'Session not found' } })
  else if (method === 'session/load') {
    open = params.sessionId
    print({ id, result: {} })
  } else if (method === 'session/prompt') {
    const content = { type: 'text', text: `I am in ${open}.` }
    const update = { sessionUpdate: 'agent_message_chunk', content }
    print({ method: 'session/update', params: { sessionId: open, update } })
    print({ id, result: { stopReason: 'end_turn' } })
  }
}

if (way === 'stuck') {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
}
createInterface({ input: process.stdin }).on('line', (line) => {
  if (REQUEST_FILE) appendFileSync(REQUEST_FILE, `${line}\n`)
  answer(JSON.parse(line))
})
