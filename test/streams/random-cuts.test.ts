import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import {
  applyEvent,
  applyEvents,
  emptyTranscript,
  fromSnapshot,
  type Transcript,
  toSnapshot,
} from '../../src/transcript/index.ts'
import { openStreams } from './open-streams.ts'
import { type MakeEvents, runs } from './random-runs.ts'
import { createParser, type Frame, isStamped, requestOf } from './reader.ts'

/** How a client uses one connection. */
interface Plan {
  /** It is cut after this many bytes. */
  bytes: number
  /** Before that it stalls, until this many other connections were cut. */
  stall: number
  /** It sends its cursor, no cursor, or one that the session has not reached. */
  cursor: 'own' | 'none' | 'beyond'
}

const plan: fc.Arbitrary<Plan> = fc.record({
  bytes: fc.oneof(fc.nat(300), fc.nat(5000), fc.nat(60_000)),
  stall: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(40)),
  cursor: fc.oneof(
    { weight: 20, arbitrary: fc.constant('own' as const) },
    { weight: 1, arbitrary: fc.constant('none' as const) },
    { weight: 1, arbitrary: fc.constant('beyond' as const) },
  ),
})

const clients = 40
const cutsPerRun = 1000
const numRuns = 4

/** What the clients of one run share. */
interface Progress {
  port: number
  cuts: number
  /** Resolved with every cut, and replaced by a new one. */
  nextCut: PromiseWithResolvers<void>
  /** The seq of the last event; set when all are published. */
  last: number | undefined
}

const countCut = (progress: Progress) => {
  progress.cuts += 1
  progress.nextCut.resolve()
  progress.nextCut = Promise.withResolvers()
}

/** A client that folds what it reads into one transcript, over all its connections. */
const createClient = (progress: Progress) => {
  let transcript: Transcript = emptyTranscript()
  let cursor: string | undefined
  const errors: string[] = []

  const readFrame = ({ id, event }: Frame) => {
    cursor = id ?? cursor
    if (event.type === 'snapshot') transcript = fromSnapshot(event)
    else if (isStamped(event)) {
      const { seq } = transcript
      if (event.seq !== seq + 1) errors.push(`${event.seq} came after ${seq}`)
      transcript = applyEvent(transcript, event)
    }
  }

  const isDone = () => progress.last !== undefined && transcript.seq === progress.last

  /** Reads one connection until it is cut as planned, or until every event was read. */
  const readOnce = async ({ bytes, stall, cursor: sent }: Plan): Promise<void> => {
    const socket = connect(progress.port, '127.0.0.1')
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const parser = createParser()
    let left = bytes
    let head = ''
    let isBody = false
    socket.setEncoding('utf8')
    socket.on('error', () => {})
    socket.on('data', (chunk: string) => {
      let body = chunk
      if (!isBody) {
        head += chunk
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        isBody = true
        body = head.slice(end + 4)
      }
      // The last chunk is read up to the byte at which it is cut.
      for (const frame of parser.push(body.slice(0, Math.max(0, left)))) readFrame(frame)
      left -= body.length
      if (left <= 0 || isDone()) socket.destroy()
    })
    const lastEventId = sent === 'beyond' ? `${transcript.seq + 1_000_000}` : (cursor ?? '')
    socket.write(requestOf('/s', sent === 'none' ? {} : { lastEventId }))
    if (stall > 0) await pauseFor(progress, socket, stall)
    await closed
  }

  return {
    errors,
    transcript: () => transcript,
    async run(plans: readonly Plan[], first: number): Promise<void> {
      for (let at = first; !isDone(); at += 1) {
        const next = plans[at % plans.length] ?? { bytes: 1000, stall: 0, cursor: 'own' }
        await readOnce(progress.last === undefined ? next : { bytes: 1e9, stall: 0, cursor: 'own' })
        countCut(progress)
      }
    },
  }
}

const pauseFor = async (progress: Progress, socket: Socket, cuts: number): Promise<void> => {
  socket.pause()
  const until = progress.cuts + cuts
  while (progress.cuts < until && progress.last === undefined) await progress.nextCut.promise
  socket.resume()
}

/** Publishes events until the clients were cut often enough, and lets them read to the end. */
const runSession = async (
  script: readonly MakeEvents[],
  plans: readonly Plan[],
  log: 'memory' | 'sqlite',
) => {
  const server = await openStreams({ log, ringBytes: 16 * 1024 })
  const write = await server.createSession('s')
  const progress: Progress = {
    port: server.port,
    cuts: 0,
    nextCut: Promise.withResolvers(),
    last: undefined,
  }
  const readers = Array.from({ length: clients }, () => createClient(progress))
  const reading = readers.map((client, at) => client.run(plans, at * 7))
  const events: StampedEvent[] = []
  for (let at = 0; progress.cuts < cutsPerRun; at += 1) {
    const produced = script[at % script.length]?.(`a${at}`) ?? []
    for (let from = 0; from < produced.length; from += 5) {
      const until = progress.cuts + 2
      events.push(...(await write(...produced.slice(from, from + 5))))
      // Connected clients may be waiting for more events.
      for (let turns = 0; turns < 20 && progress.cuts < until; turns += 1) await turn()
    }
  }
  progress.last = events.length
  countCut(progress)
  await Promise.all(reading)
  return { clients: readers, events, cuts: progress.cuts }
}

const textOf = (transcript: Transcript): string =>
  JSON.stringify(toSnapshot(transcript, { projectId: 'p' }))

test('4,000 cuts: no event is lost, repeated or out of order', { timeout: 300_000 }, async () => {
  let cuts = 0
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(runs, { minLength: 3, maxLength: 10 }),
      fc.array(plan, { minLength: 20, maxLength: 60 }),
      async (script, plans) => {
        run += 1
        const result = await runSession(script, plans, run % 2 === 0 ? 'sqlite' : 'memory')
        const whole = textOf(applyEvents(emptyTranscript(), result.events))
        for (const { errors, transcript } of result.clients) {
          expect(errors).toEqual([])
          expect(
            textOf(transcript()) === whole,
            'snapshots and events make the whole transcript',
          ).toBe(true)
        }
        cuts += result.cuts
      },
    ),
    { numRuns, endOnFailure: true },
  )
  expect(cuts).toBeGreaterThanOrEqual(numRuns * cutsPerRun)
})
