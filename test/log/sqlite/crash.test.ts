import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Log, openSqliteLog } from '../../../src/log/index.ts'
import { run } from '../../support/sluice.ts'
import { contentOf } from '../writer-content.ts'

type Mode = 'FULL' | 'NORMAL'
const program = new URL('../writer.ts', import.meta.url).pathname
const sessionIds = ['a', 'b', 'c']
const rounds = 15
const timeoutMs = 240_000

const root = mkdtempSync(join(tmpdir(), 'sluice-crash-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** With a compile cache, a writer starts in half the time. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(root, 'compiled') }
beforeAll(() => run(process.execPath, [program], { env }))

/** What a writer has textEvent before it died. */
interface Printed {
  /** By session, the last seq that was durable or seen by a reader. */
  heads: Map<string, number>
  blobs: string[]
}

/** Lets a writer print so many lines, kills it at that moment, and reads the rest of its output. */
const writeAndKill = async (directory: string, mode: Mode, lines: number): Promise<Printed> => {
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, [program, directory, mode], { env, stdio: [...stdio] })
  const closed = once(child, 'close')
  const printed: Printed = { heads: new Map(), blobs: [] }
  let count = 0
  for await (const line of createInterface(child.stdout)) {
    const [kind, name = '', number] = line.split(' ')
    if (kind === 'blob') printed.blobs.push(name)
    if (kind === 'durable' || kind === 'seen')
      printed.heads.set(name, Math.max(printed.heads.get(name) ?? 0, Number(number)))
    count += 1
    if (count === lines) child.kill('SIGKILL')
  }
  expect(await closed).toEqual([null, 'SIGKILL'])
  return printed
}

/** Reads the events after `from`, checks that none is missing or damaged, and returns the last seq. */
const checkEvents = async (log: Log, sessionId: string, from: number): Promise<number> => {
  let seq = from
  for await (const event of log.read(sessionId, from)) {
    seq += 1
    if (event.seq !== seq || event.type !== 'tool_execution_update')
      throw new Error(`event ${seq} of ${sessionId} is ${event.type} ${event.seq}`)
    if (event.outputDelta !== contentOf(sessionId, seq))
      throw new Error(`event ${seq} of ${sessionId} is damaged`)
  }
  expect(await log.head(sessionId)).toBe(seq)
  return seq
}

describe.concurrent('a writer that is killed', () => {
  test.each<Mode>(['FULL', 'NORMAL'])(
    `${rounds} times loses nothing that was durable or seen (%s)`,
    async (mode) => {
      const directory = join(root, mode)
      const heads = new Map<string, number>()
      for (let round = 0; round < rounds; round += 1) {
        const printed = await writeAndKill(directory, mode, 2 + Math.floor(Math.random() * 200))
        const log = await openSqliteLog(directory)
        for (const id of sessionIds) {
          const end = await checkEvents(log, id, heads.get(id) ?? 0)
          expect(end).toBeGreaterThanOrEqual(printed.heads.get(id) ?? 0)
          heads.set(id, end)
        }
        for (const hash of printed.blobs) expect(await log.blobs.get(hash)).toBeDefined()
        await log.close()
      }
      const log = await openSqliteLog(directory)
      for (const id of sessionIds) expect(await checkEvents(log, id, 0)).toBe(heads.get(id))
      await log.close()
    },
    timeoutMs,
  )
})
