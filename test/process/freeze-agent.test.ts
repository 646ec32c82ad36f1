import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startProcess } from '../../src/process/spawn.ts'
import { eventually } from '../support/eventually.ts'

/** Prints its pid, that of a child in a session of its own, and then lines without end. */
const script = `trap 'echo ended; exit 7' TERM
setsid sleep 60 & echo "pids $$ $!"
while :; do echo tick; sleep 0.02; done`

const start = async () => {
  let text = ''
  const child = await startProcess({
    program: 'bash',
    args: ['-c', script],
    cwd: '/',
    onChunk(chunk) {
      text += Buffer.from(chunk).toString('utf8')
    },
  })
  const pids = await eventually(() => {
    const [, self, other] = /pids (\d+) (\d+)\n/.exec(text) ?? []
    expect(other).toBeDefined()
    return [Number(self), Number(other)]
  })
  return { ...child, pids, text: () => text }
}

/** The state of a process: `T` if it is stopped. */
const stateOf = (pid: number): string =>
  /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1] ?? ''

test.runIf(process.platform === 'linux')(
  'freezing stops an agent with everything it started, until it is unfrozen',
  async () => {
    const child = await start()
    child.freezer.freeze()
    expect(child.freezer.isFrozen()).toBe(true)
    await eventually(() => expect(child.pids.map(stateOf)).toEqual(['T', 'T']))
    // Somebody else continues it.
    for (const pid of child.pids) process.kill(pid, 'SIGCONT')
    child.freezer.freeze()
    await eventually(() => expect(child.pids.map(stateOf)).toEqual(['T', 'T']))
    const before = child.text().length
    child.freezer.unfreeze()
    await eventually(() => expect(child.text().length).toBeGreaterThan(before + 20))
    expect(child.pids.map(stateOf)).not.toContain('T')
    child.kill()
    await child.done
  },
)

test('a frozen process gets the signals that stop it, and can be killed', async () => {
  const stopped = await start()
  stopped.freezer.freeze()
  await stopped.stop({ signals: ['SIGTERM', 'SIGKILL'], graceMs: 5000 })
  expect(await stopped.done).toEqual({ code: 7, signal: null })
  expect(stopped.text()).toContain('ended')

  const killed = await start()
  killed.freezer.freeze()
  killed.kill()
  expect(await killed.done).toEqual({ code: null, signal: 'SIGKILL' })
})
