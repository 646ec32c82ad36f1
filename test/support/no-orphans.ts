import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** How long processes may take to end after the last test. */
const maxWaitMs = 20_000

const runId = randomUUID()
const tag = `TEST_RUN_TAG=${runId}`

/** Tags every process that a test run starts, through its environment. */
export const setup = (): void => {
  process.env.TEST_RUN_TAG = runId
}

/** Fails the test run when it has left processes behind. */
export const teardown = async (): Promise<void> => {
  const until = performance.now() + maxWaitMs
  while (leftovers().length > 0 && performance.now() < until) await setTimeout(100)
  const found = leftovers()
  if (found.length > 0) throw new Error(`The tests left processes running:\n${found.join('\n')}`)
}

/** The tagged processes, except this one and the workers of the test runner. */
const leftovers = (): string[] =>
  existsSync('/proc/self/environ') ? readdirSync('/proc').flatMap(describeTagged) : []

const describeTagged = (pid: string): string[] => {
  if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return []
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(tag)) return []
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()
    return command === '' || command.includes('vitest') ? [] : [`${pid} ${command}`]
  } catch {
    return [] // it has ended meanwhile, or belongs to another user
  }
}
