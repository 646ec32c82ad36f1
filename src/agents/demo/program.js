// Plain JavaScript, because it is the only file of this room that uses Node: it connects the demo’s
// conversation to stdin and stdout.
import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createConversation } from './program/conversation.ts'

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    resume: { type: 'string' },
    prompt: { type: 'string' },
  },
  strict: false,
  allowPositionals: true,
})
const pace = Number(process.env.SLUICE_DEMO_PACE ?? 25)

const conversation = createConversation({
  ...values,
  cwd: process.cwd(),
  pace: pace >= 0 ? pace : 25,
  idPrefix: randomUUID().slice(0, 8),
  write: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
})

/** Stops what runs. The process then exits by itself, because nothing is left to do. */
const stop = async () => {
  process.stdin.destroy()
  await conversation.close()
}

process.stdout.on('error', () => process.exit(0)) // the reader is gone
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
if (values.prompt === undefined) {
  process.stdin.on('data', conversation.push)
  process.stdin.on('end', stop)
  process.stdin.on('error', stop)
} else await conversation.once(values.prompt)
