// Speaks the demo’s protocol. A prompt is JSON: { script, then }. It runs the shell script with its own
// output, then does what `then` names: ends the run (`stop`), leaves it open (`work`), also ignores
// signals (`ignore`), exits (`exit`), or closes its output and lives on (`close`).
import { spawnSync } from 'node:child_process'
import { closeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)

print({ type: 'session_start', agent: 'demo' })
// Until it is ended from outside.
setInterval(() => {}, 60_000)

const acts = {
  stop: () => print({ type: 'agent_end', stopReason: 'stop' }),
  work: () => {},
  ignore: () => {},
  exit: () => process.exit(),
  close() {
    closeSync(1)
    closeSync(2)
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { type, id, text } = JSON.parse(line)
  print({ type: 'reply', id, ok: true })
  if (type !== 'prompt') continue
  const { script, then } = JSON.parse(text)
  if (then === 'ignore') for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {})
  print({ type: 'agent_start' })
  if (script) spawnSync('sh', ['-c', script], { stdio: ['ignore', 1, 2] })
  acts[then]()
}
