// The whole path of an event: bytes of an agent, decoder, ledger and turns, recorder, SQLite, bus, one
// subscriber. Many agents write at once, and each turn of the event loop brings a line of some of them.
// It is compared with a bare loop that only inserts the same events, in the same batches.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pi } from '../../src/agents/pi/index.ts'
import { createStream } from '../../src/agents/stream.ts'
import { createLocalBus } from '../../src/bus/local.ts'
import { createStamp } from '../../src/events/stamp.ts'
import type { StampedEvent } from '../../src/events/types.ts'
import { createLedger } from '../../src/ledger/ledger.ts'
import { openSqliteLog } from '../../src/log/index.ts'
import { nodeTextReader } from '../../src/process/node-text-reader.ts'
import { createSessionPublisher } from '../../src/session/bus/session-publisher.ts'
import { createAnnotator } from '../../src/session/recording/annotate.ts'
import { createSessionRecorder } from '../../src/session/recording/session-recorder.ts'
import { recordOf, sessionIds } from './events.ts'
import { type Figures, measure, printFigures, readJob } from './job.ts'
import { createChunks, prelude } from './lines.ts'

const job = readJob()
const chunks = createChunks(job.count, sessionIds.length)
/** The first turns are not measured: a running server has compiled its code long ago. */
const warmUp = Math.floor(job.count / 5 / job.size) * job.size
const now = () => 1_760_000_000_000

function fail(cause: unknown): never {
  throw new Error(`The path failed: ${JSON.stringify(cause)}`, { cause })
}

const path = async (): Promise<Figures> => {
  const log = await openSqliteLog(job.directory, { synchronous: job.synchronous })
  const bus = createLocalBus({ onError: fail })
  let received = 0
  bus.on('session.event', () => {
    received += 1
  })

  const openLane = async (id: string) => {
    await log.sessions.create(recordOf(id))
    const ledger = createLedger()
    const annotate = createAnnotator(ledger)
    const stream = createStream(pi, { reader: nodeTextReader })
    const { publish } = createSessionPublisher(bus, recordOf(id))
    const options = { log, sessionId: id, after: 0, ledger, now, publish, onFailure: fail }
    const { push, settled } = createSessionRecorder(options)
    /** Resolves when the events of the chunk are published. Deltas of one frame are not joined. */
    const pushChunk = (chunk: Uint8Array): Promise<void> => {
      push(annotate(stream.push(chunk)))
      return settled()
    }
    await pushChunk(prelude)
    return pushChunk
  }
  const lanes = await Promise.all(sessionIds.map(openLane))

  const run = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; ) {
      const turn: (Promise<void> | undefined)[] = []
      for (; turn.length < job.size; at += 1)
        turn.push(lanes[at % lanes.length]?.(chunks.chunk(at)))
      await Promise.all(turn)
    }
  }
  await run(0, warmUp)
  const before = received
  const figures = await measure(() => run(warmUp, chunks.count))
  await log.close()
  return { ...figures, events: received - before }
}

/** The same events that the path stores, turn by turn. */
const batches = function* (): Generator<StampedEvent[]> {
  const lanes = sessionIds.map((id) => {
    const stream = createStream(pi, { reader: nodeTextReader })
    const annotate = createAnnotator(createLedger())
    const stamp = createStamp(id, now)
    const decode = (chunk: Uint8Array) => annotate(stream.push(chunk)).map(stamp)
    decode(prelude)
    return decode
  })
  for (let at = 0; at < chunks.count; at += job.size)
    yield Array.from({ length: job.size }, (_, index) => at + index).flatMap(
      (each) => lanes[each % lanes.length]?.(chunks.chunk(each)) ?? [],
    )
}

const insert = async (): Promise<Figures> => {
  const all = [...batches()]
  const database = new DatabaseSync(join(job.directory, 'plain.db'))
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${job.synchronous};
    CREATE TABLE events (session INTEGER, seq INTEGER, text TEXT) STRICT;
    CREATE UNIQUE INDEX events_in_order ON events (session, seq)`)
  const statement = database.prepare('INSERT INTO events VALUES (?, ?, ?)')
  const numbers = new Map(sessionIds.map((id, index) => [id, index]))
  const store = (batch: readonly StampedEvent[]) => {
    database.exec('BEGIN IMMEDIATE')
    for (const event of batch)
      statement.run(numbers.get(event.sessionId) ?? 0, event.seq, JSON.stringify(event))
    database.exec('COMMIT')
  }
  const measured = all.splice(warmUp / job.size)
  all.forEach(store)
  const figures = await measure(async () => measured.forEach(store))
  const events = measured.reduce((sum, batch) => sum + batch.length, 0)
  database.close()
  return { ...figures, events }
}

printFigures(await (job.contender === 'insert' ? insert() : path()))
