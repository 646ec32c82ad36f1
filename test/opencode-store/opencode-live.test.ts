import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openOpenCodeStore, type StoreLine } from '../../src/opencode-store/index.ts'
import { openCodeSetup } from '../agents/opencode.ts'
import { startModel } from '../model/server.ts'
import { accountOf } from '../support/account.ts'
import { decodeChunks, decodeLines } from '../support/recordings.ts'

const { setup, ...missing } = openCodeSetup('http://127.0.0.1:1')
setup?.remove()
if (!setup && 'reason' in missing) console.log(`skipped: ${missing.reason}`)

test.skipIf(!setup)(
  'the rows that OpenCode writes while it works give the account of its output',
  { timeout: 60_000 },
  async () => {
    const model = await startModel()
    const found = openCodeSetup(model.url, undefined, { bash: 'allow' })
    if (!found.setup) throw new Error(found.reason)
    const { argv, env, cwd, remove } = found.setup
    const [program = '', ...args] = argv
    const run = async (...more: string[]): Promise<Buffer> => {
      const all = [...args, 'run', '--format', 'json', '--thinking', ...more]
      const child = spawn(program, all, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
      const chunks: Buffer[] = []
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
      await once(child, 'close')
      return Buffer.concat(chunks)
    }
    const file = join(env.HOME ?? '', '.local/share/opencode/opencode.db')
    try {
      const first = await run('scenario:thinking')
      const store = await openOpenCodeStore(file)
      const [session] = store.sessions()
      const id = session?.id ?? ''
      const before = store.read(id)
      // The second run writes while the database is open and watched.
      let { cursor } = before
      const lines: StoreLine[] = [...before.lines]
      let growths = 0
      const read = () => {
        const page = store.read(id, cursor)
        cursor = page.cursor
        lines.push(...page.lines)
        if (page.lines.length > 0) growths += 1
      }
      const watcher = watch(dirname(file), read)
      const second = await run('--session', id, 'scenario:tool')
      watcher.close()
      read()
      store.close()
      expect(growths).toBeGreaterThan(1)
      const streamed = [first, second].map((bytes) => accountOf(decodeChunks('opencode', [bytes])))
      const { answers, calls, ends } = accountOf(decodeLines('opencode', lines))
      expect(answers).toEqual(streamed.flatMap((each) => each.answers))
      expect(calls).toEqual(streamed.flatMap((each) => each.calls))
      expect(ends).toEqual(streamed.flatMap((each) => each.ends))
      expect(accountOf(decodeLines('opencode', before.lines)).tokens).toEqual(streamed[0]?.tokens)
    } finally {
      await model.close()
      remove()
    }
  },
)
