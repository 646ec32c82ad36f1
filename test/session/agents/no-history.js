// Speaks Claude Code’s protocol. It has no record of any conversation, and answers `/help` without
// the model: with a result and nothing else.
import { createInterface } from 'node:readline'

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)
const zero = { duration_ms: 0, num_turns: 0, total_cost_usd: 0, usage: {}, session_id: 'new' }
const resumed = process.argv[process.argv.indexOf('--resume') + 1]

if (process.argv.includes('--resume')) {
  const error = `No conversation found with session ID: ${resumed}`
  print({
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    errors: [error],
    ...zero,
  })
  process.stderr.write(`${error}\n`)
  process.exitCode = 1
} else
  for await (const json of createInterface({ input: process.stdin })) {
    const line = JSON.parse(json)
    if (line.type !== 'user') continue
    const text = line.message.content[0].text
    if (text !== '/help') print({ type: 'system', subtype: 'init', session_id: 'new', tools: [] })
    if (text !== '/help') print({ ...line, isReplay: true })
    print({ type: 'result', subtype: 'success', is_error: false, result: `heard ${text}`, ...zero })
  }
