// Plain JavaScript, because it alone of this room touches Node: it joins the demo’s conversation to
// stdin and stdout.
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
  unique: randomUUID().slice(0, 8),
  tell: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
})

/** Ends what runs; with nothing left to do, the process ends by itself. */
const leave = async () => {
  process.stdin.destroy()
  await conversation.close()
}

process.stdout.on('error', () => process.exit(0)) // Nobody reads any more.
process.on('SIGINT', leave)
process.on('SIGTERM', leave)
if (values.prompt === undefined) {
  process.stdin.on('data', conversation.push)
  process.stdin.on('end', leave)
  process.stdin.on('error', leave)
} else await conversation.once(values.prompt)
