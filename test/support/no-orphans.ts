import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

/** How long a process may take to be gone once all tests are done. */
const patienceMs = 20_000

const id = randomUUID()
const mark = `SLUICE_TEST_RUN=${id}`

/** Marks whatever a run of the tests starts. */
export const setup = (): void => {
  process.env.SLUICE_TEST_RUN = id
}

/** At its end, none of that may be left. */
export const teardown = async (): Promise<void> => {
  const until = performance.now() + patienceMs
  while (left().length > 0 && performance.now() < until) await setTimeout(100)
  const found = left()
  if (found.length > 0) throw new Error(`the tests left processes behind:\n${found.join('\n')}`)
}

/** The processes with a mark, but for this one and the workers of the test runner. */
const left = (): string[] =>
  existsSync('/proc/self/environ') ? readdirSync('/proc').flatMap(describe) : []

const describe = (pid: string): string[] => {
  if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return []
  try {
    if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)) return []
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()
    return command === '' || command.includes('vitest') ? [] : [`${pid} ${command}`]
  } catch {
    return [] // gone meanwhile, or another user’s
  }
}
