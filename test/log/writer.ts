// Stores events as fast as it can until it is killed. It prints which events are durable, and which
// ones a reader in the same process has seen.
import type { StampedEvent } from '../../src/events/types.ts'
import { openSqliteLog } from '../../src/log/index.ts'
import { contentOf } from './writer-content.ts'

process.stdout.on('error', () => process.exit(1)) // the reader is gone
const [directory, mode] = process.argv.slice(2)
if (directory === undefined) process.exit() // started only to fill the compile cache
const synchronous = mode === 'NORMAL' ? 'NORMAL' : 'FULL'
const log = await openSqliteLog(directory, { synchronous, checkpointPages: 64 })
const print = (...fields: (string | number)[]) => void process.stdout.write(`${fields.join(' ')}\n`)
const upTo = (limit: number) => Math.floor(Math.random() * limit)

const write = async (id: string): Promise<never> => {
  let head = await log.head(id)
  if (!(await log.sessions.get(id)))
    await log.sessions.create({
      id,
      agent: 'pi',
      cwd: '/',
      state: 'running',
      createdAt: 1,
      updatedAt: 1,
    })
  /** A blob that the next event refers to. */
  let blob: string | undefined
  for (;;) {
    const batch = Array.from(
      { length: 1 + upTo(30) },
      (_, index): StampedEvent => ({
        type: 'tool_execution_update',
        toolCallId: blob ?? 't1',
        toolName: 'bash',
        outputDelta: contentOf(id, head + index + 1),
        sessionId: id,
        seq: head + index + 1,
        timestamp: 1,
      }),
    )
    await log.append(id, batch)
    head += batch.length
    print('durable', id, head)
    if (blob !== undefined) print('blob', blob, head)
    blob = undefined
    if (upTo(8) === 0)
      blob = (await log.blobs.put(id, Buffer.from(contentOf(id, head).repeat(100)))).hash
  }
}

/** Follows a session as a server would, and prints what it has seen. */
const follow = async (id: string): Promise<never> => {
  let seen = await log.head(id)
  for (;;) {
    const before = seen
    for await (const event of log.read(id, seen)) seen = event.seq
    if (seen > before) print('seen', id, seen)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

print('open', process.pid)
await Promise.all(['a', 'b', 'c'].flatMap((id) => [write(id), follow(id)]))
