// Speaks the demo’s protocol. `flood N` prints N lines as fast as it can. It waits while its pipe is
// full, and reads commands meanwhile; with FLOOD_BLOCKS it blocks in its writes and reads nothing.
// `exit N` prints them and exits with code 3.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const print = (...events) => events.map((event) => `${JSON.stringify(event)}\n`).join('')
const write = process.env.FLOOD_BLOCKS
  ? (text) => writeSync(1, text)
  : (text) => new Promise((resolve) => process.stdout.write(text, resolve))
let isAborted = false

const flood = async (count) => {
  for (let index = 0; index < count && !isAborted; ) {
    let text = ''
    for (const end = Math.min(count, index + 500); index < end; index += 1)
      text += print({ type: 'session_update', status: `line ${index}` })
    await write(text)
  }
}

const run = async (name, count) => {
  await write(print({ type: 'agent_start' }, { type: 'turn_start' }))
  await flood(count)
  if (name === 'exit') process.exit(3)
  const stopReason = isAborted ? 'aborted' : 'stop'
  await write(print({ type: 'turn_end' }, { type: 'agent_end', stopReason }))
}

if (process.argv.includes('--version')) {
  console.log(process.env.FLOOD_VERSION ?? '1.0.0')
  process.exit()
}
await write(print({ type: 'session_start', agent: 'demo' }))
for await (const line of createInterface({ input: process.stdin })) {
  const { type, id, text = '' } = JSON.parse(line)
  await write(print({ type: 'reply', id, ok: true }))
  if (type === 'abort') isAborted = true
  const [name, count] = text.split(' ')
  if (type === 'prompt') void run(name, Number(count))
}
