// Speaks Claude Code’s protocol. What it does with a prompt is in the prompt: `late` echoes it after the
// answer, `mute` prints nothing, `crash` exits, and any other prompt is echoed first.
import { createInterface } from 'node:readline'

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)
const answer = {
  type: 'assistant',
  message: { id: 'msg_1', model: 'opus', content: [{ type: 'text', text: 'Done.' }] },
  parent_tool_use_id: null,
}

for await (const line of createInterface({ input: process.stdin })) {
  const { type, uuid, message, request_id } = JSON.parse(line)
  if (type === 'control_request')
    print({ type: 'control_response', response: { subtype: 'success', request_id } })
  const text = message?.content[0]?.text ?? ''
  if (type !== 'user' || text === 'mute') continue
  if (text === 'crash') {
    process.stderr.write('No API key.\n')
    process.exit(1)
  }
  print({ type: 'system', subtype: 'init', session_id: 's', model: 'opus', cwd: '/p', tools: [] })
  const echo = { type: 'user', message, parent_tool_use_id: null, uuid }
  if (text !== 'late') print(echo)
  print({ ...answer, message: { ...answer.message, id: `msg_${uuid}` } })
  if (text === 'late') print(echo)
  print({ type: 'result', subtype: 'success', is_error: false })
}
