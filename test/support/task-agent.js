// Prints what Claude Code 2.1.325 prints about a command in the background, and stops it when that is
// requested. The command writes no output. With the prompt “print much”, it prints a large result.
import { createInterface } from 'node:readline'

const session_id = 'c8a8fc05-6628-4bb2-8f6c-f368d47aeba3'
const task_id = 'bfcwo1pkw'
const print = (line) => process.stdout.write(`${JSON.stringify({ ...line, session_id })}\n`)
const system = (subtype, fields) => print({ type: 'system', subtype, ...fields })

const work = () => {
  system('init', { cwd: process.cwd(), tools: ['Bash'], mcp_servers: [], model: 'scripted' })
  system('task_started', {
    ...{ task_id, tool_use_id: 'toolu_1', description: 'Dev server' },
    ...{ is_backgrounded: true, task_type: 'local_bash' },
  })
  system('background_tasks_changed', { tasks: [{ task_id, task_type: 'local_bash' }] })
  print({ type: 'result', subtype: 'success', is_error: false, result: 'Started it.' })
}

/** A command whose output is too large for an event. */
const printMuch = () => {
  const id = 'toolu_2'
  const usage = { input_tokens: 1, output_tokens: 1 }
  const use = { type: 'tool_use', id, name: 'Bash', input: { command: 'seq' } }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted', usage }
  system('init', { cwd: process.cwd(), tools: ['Bash'], mcp_servers: [], model: 'scripted' })
  print({ type: 'assistant', message: { ...message, content: [use] } })
  const content = `${'one line\n'.repeat(60_000)}the end`
  const result = { type: 'tool_result', tool_use_id: id, content, is_error: false }
  print({ type: 'user', message: { role: 'user', content: [result] } })
  print({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' })
}

const respond = ({ request_id, request }) => {
  print({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } })
  if (request.subtype !== 'stop_task' || request.task_id !== task_id) return
  system('task_updated', { task_id, patch: { status: 'killed' } })
  system('background_tasks_changed', { tasks: [] })
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text)
  if (line.type === 'user') text.includes('print much') ? printMuch() : work()
  else if (line.type === 'control_request') respond(line)
}
