// Prints what Claude Code 2.1.325 prints about a command in the background, and stops it when that is
// requested. The command writes no output.
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

const respond = ({ request_id, request }) => {
  print({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } })
  if (request.subtype !== 'stop_task' || request.task_id !== task_id) return
  system('task_updated', { task_id, patch: { status: 'killed' } })
  system('background_tasks_changed', { tasks: [] })
}

for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text)
  if (line.type === 'user') work()
  else if (line.type === 'control_request') respond(line)
}
