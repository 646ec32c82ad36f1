// An agent that speaks as Claude Code does. It knows no conversation to go on with; `/help` it
// answers by itself, with a result and nothing else.
import { createInterface } from 'node:readline'

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)
const zero = { duration_ms: 0, num_turns: 0, total_cost_usd: 0, usage: {}, session_id: 'new' }
const resumed = process.argv[process.argv.indexOf('--resume') + 1]

if (process.argv.includes('--resume')) {
  const words = `No conversation found with session ID: ${resumed}`
  tell({
    type: 'result',
    subtype: 'error_during_execution',
    is_error: true,
    errors: [words],
    ...zero,
  })
  process.stderr.write(`${words}\n`)
  process.exitCode = 1
} else
  for await (const text of createInterface({ input: process.stdin })) {
    const line = JSON.parse(text)
    if (line.type !== 'user') continue
    const said = line.message.content[0].text
    if (said !== '/help') tell({ type: 'system', subtype: 'init', session_id: 'new', tools: [] })
    if (said !== '/help') tell({ ...line, isReplay: true })
    tell({ type: 'result', subtype: 'success', is_error: false, result: `heard ${said}`, ...zero })
  }
