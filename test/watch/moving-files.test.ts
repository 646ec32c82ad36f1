import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Log } from '../../src/log/log.ts'
import { agentHome, putRecording } from './home.ts'
import { eventsOf, importHome, memoryLog, sessionsOf } from './rig.ts'
import { comparable, watchHome } from './watch-home.ts'

const name = 'claude-session-file/2.1.325/resume-chain'
const nativeId = '531a7146-4944-4d91-9171-1e9b871fc085'

/** The lines of a session, and what an import of all of them gives. */
const readModel = async () => {
  const [home, log] = [agentHome(), await memoryLog()]
  const path = putRecording(home, name, nativeId)
  const lines = readFileSync(path, 'utf8').split(/(?<=\n)/)
  await importHome(home, log)
  return { lines, expected: await allEvents(log) }
}

const allEvents = async (log: Log) => {
  const sessions = await sessionsOf(log)
  const all = await Promise.all(sessions.map(({ id }) => eventsOf(log, id)))
  return all.flatMap((events) => comparable(events))
}

/** What happens to a file. Numbers choose among what is possible at that moment. */
const operation = fc.oneof(
  fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ do: fc.constant('part' as const), count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ do: fc.constant('cut' as const), count: fc.integer({ min: 0, max: 30 }) }),
  ...(
    [
      'rename',
      'renameFolder',
      'renameRoot',
      'replace',
      'rewrite',
      'pad',
      'remake',
      'restart',
      'rest',
    ] as const
  ).map((each) => fc.record({ do: fc.constant(each), count: fc.integer({ min: 0, max: 3 }) })),
)
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never

/** Does something to the file of a session, as agents, tools and people would. */
const createFile = (home: string, lines: readonly string[]) => {
  const root = join(home, '.claude/projects')
  let [folder, file] = ['-home-dev-project', nativeId]
  /** How much of the file is written: lines, and bytes of the next one. */
  let [whole, part] = [0, 0]
  let padding = ''
  let moves = 0
  const path = () => join(root, folder, `${file}.jsonl`)
  const text = () => Buffer.from(padding + lines.slice(0, whole).join(''))
  const nextLine = () => Buffer.from(lines[whole] ?? '')
  const writeAll = (to = path()) =>
    writeFileSync(to, Buffer.concat([text(), nextLine().subarray(0, part)]))
  mkdirSync(dirname(path()), { recursive: true })

  const append = (count: number) => {
    for (let index = 0; index < count && whole < lines.length; index += 1) {
      appendFileSync(path(), nextLine().subarray(part))
      whole += 1
      part = 0
    }
  }
  const operations: Record<
    Exclude<Operation['do'], 'restart' | 'rest'>,
    (count: number) => void
  > = {
    append,
    part(count) {
      const line = nextLine()
      const end = Math.min(part + count, line.length - 1)
      if (end <= part) return
      appendFileSync(path(), line.subarray(part, end))
      part = end
    },
    cut(count) {
      writeFileSync(path(), '', { flag: 'a' })
      whole = Math.min(whole, count)
      part = 0
      truncateSync(path(), text().length)
    },
    rename() {
      writeFileSync(path(), '', { flag: 'a' })
      const from = path()
      moves += 1
      file = `moved-${moves}`
      renameSync(from, path())
    },
    renameFolder() {
      const from = dirname(path())
      moves += 1
      folder = `-home-dev-other-${moves}`
      renameSync(from, dirname(path()))
    },
    renameRoot() {
      renameSync(root, `${root}-away`)
      renameSync(`${root}-away`, root)
    },
    replace() {
      writeAll(`${path()}.tmp`)
      renameSync(`${path()}.tmp`, path())
    },
    rewrite: () => writeAll(),
    /** A tool adds a line at the beginning, so that everything moves. */
    pad() {
      padding += '{"type":"atis-latch","note":"nothing"}\n'
      writeAll()
    },
    remake() {
      rmSync(path(), { force: true })
      writeAll()
    },
  }
  return {
    do: (each: Exclude<Operation['do'], 'restart' | 'rest'>, count: number) =>
      operations[each](count),
    finish: () => append(lines.length),
  }
}

/** Waits until nothing more comes. */
const rest = async (log: Log) => {
  let before = -1
  await expect
    .poll(
      async () => {
        const now = (await allEvents(log)).length
        const isQuiet = now === before
        before = now
        return isQuiet
      },
      { interval: 60 },
    )
    .toBe(true)
}

test('whatever happens to a file, nothing is lost and nothing is there twice', {
  timeout: 300_000,
}, async () => {
  const { lines, expected } = await readModel()
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 3, maxLength: 14 }), async (operations) => {
      const [home, log] = [agentHome(), await memoryLog()]
      const file = createFile(home, lines)
      let watching = watchHome(home, log, { scanMs: 1000 })
      for (const each of operations) {
        if (each.do === 'rest') await rest(log)
        else if (each.do === 'restart') {
          await watching.close()
          watching = watchHome(home, log, { scanMs: 1000 })
        } else file.do(each.do, each.count)
        await new Promise(setImmediate)
      }
      file.finish()
      await expect
        .poll(async () => (await allEvents(log)).length, { timeout: 8000 })
        .toBeGreaterThanOrEqual(expected.length)
      await rest(log)
      await watching.close()
      expect(await allEvents(log)).toEqual(expected)
    }),
    { numRuns: Number(process.env.MOVES ?? 10), endOnFailure: true },
  )
})
