import { connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { StampedEvent } from '../../src/events/types.ts'
import {
  apply,
  applyAll,
  emptyTranscript,
  fromSnapshot,
  type Transcript,
  toSnapshot,
} from '../../src/transcript/index.ts'
import { type Act, acts } from './acts.ts'
import { openStreams } from './open-streams.ts'
import { createParser, isStamped, requestOf } from './reader.ts'

/** What a client does with one connection. */
interface Plan {
  /** So many bytes are read before it is cut. */
  bytes: number
  /** And it stalls before that, until so many others were cut. */
  stall: number
  /** With its cursor, as if it were new, or with one that means nothing. */
  as: 'returning' | 'new' | 'lost'
}

const plan: fc.Arbitrary<Plan> = fc.record({
  bytes: fc.oneof(fc.nat(300), fc.nat(5000), fc.nat(60_000)),
  stall: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(40)),
  as: fc.oneof(
    { weight: 20, arbitrary: fc.constant('returning' as const) },
    { weight: 1, arbitrary: fc.constant('new' as const) },
    { weight: 1, arbitrary: fc.constant('lost' as const) },
  ),
})

const clients = 40
const cutsPerRun = 2500
const runs = 4

/** Everything that the clients of one run share. */
interface Course {
  port: number
  cuts: number
  /** Wakes whoever waits for more cuts. */
  progress: PromiseWithResolvers<void>
  /** Set when all events are out. */
  last: number | undefined
}

const noteCut = (course: Course) => {
  course.cuts += 1
  course.progress.resolve()
  course.progress = Promise.withResolvers()
}

/** A reader that keeps what it has seen over all its connections. */
const createClient = (course: Course) => {
  let transcript: Transcript = emptyTranscript()
  let cursor: number | undefined
  const wrong: string[] = []

  const take = (event: ReturnType<ReturnType<typeof createParser>['push']>[number]['event']) => {
    if (event.type === 'snapshot') {
      transcript = fromSnapshot(event)
      cursor = event.seq
    } else if (isStamped(event)) {
      if (event.seq !== (cursor ?? 0) + 1) wrong.push(`${event.seq} came after ${cursor}`)
      transcript = apply(transcript, event)
      cursor = event.seq
    }
  }

  const isDone = () => course.last !== undefined && cursor === course.last

  /** Reads one connection until the plan says that it is cut, or until everything was seen. */
  const live = async ({ bytes, stall, as }: Plan): Promise<void> => {
    const socket = connect(course.port, '127.0.0.1')
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
      // What a cut leaves of the last chunk is read, to the byte.
      for (const { event } of parser.push(body.slice(0, Math.max(0, left)))) take(event)
      left -= body.length
      if (left <= 0 || isDone()) socket.destroy()
    })
    const lost = as === 'lost' ? `${(cursor ?? 0) + 1_000_000}` : `${cursor ?? ''}`
    socket.write(requestOf('/s', as === 'new' ? {} : { lastEventId: lost }))
    if (stall > 0) await stalled(course, socket, stall)
    await closed
  }

  return {
    wrong,
    transcript: () => transcript,
    async run(plans: readonly Plan[], first: number): Promise<void> {
      for (let at = first; !isDone(); at += 1) {
        const next = plans[at % plans.length] ?? { bytes: 1000, stall: 0, as: 'returning' }
        await live(course.last === undefined ? next : { bytes: 1e9, stall: 0, as: 'returning' })
        noteCut(course)
      }
    },
  }
}

const stalled = async (course: Course, socket: Socket, cuts: number): Promise<void> => {
  socket.pause()
  const until = course.cuts + cuts
  while (course.cuts < until && course.last === undefined) await course.progress.promise
  socket.resume()
}

/** A session that goes on until the clients were cut often enough. */
const perform = async (
  script: readonly Act[],
  plans: readonly Plan[],
  log: 'memory' | 'sqlite',
) => {
  const server = await openStreams({ log, ringBytes: 16 * 1024 })
  const write = await server.createSession('s')
  const course: Course = {
    port: server.port,
    cuts: 0,
    progress: Promise.withResolvers(),
    last: undefined,
  }
  const all = Array.from({ length: clients }, () => createClient(course))
  const reading = all.map((client, at) => client.run(plans, at * 7))
  const events: StampedEvent[] = []
  for (let at = 0; course.cuts < cutsPerRun; at += 1) {
    const act = script[at % script.length]?.(`a${at}`) ?? []
    for (let from = 0; from < act.length; from += 5) {
      const until = course.cuts + 2
      events.push(...(await write(...act.slice(from, from + 5))))
      // Those who are there may be waiting for more.
      for (let turns = 0; turns < 20 && course.cuts < until; turns += 1) await turn()
    }
  }
  course.last = events.length
  noteCut(course)
  await Promise.all(reading)
  return { all, events, cuts: course.cuts }
}

const textOf = (transcript: Transcript): string =>
  JSON.stringify(toSnapshot(transcript, { projectId: 'p' }))

test('10,000 cuts: nothing is lost, doubled or out of order', { timeout: 300_000 }, async () => {
  let cuts = 0
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(acts, { minLength: 3, maxLength: 10 }),
      fc.array(plan, { minLength: 20, maxLength: 60 }),
      async (script, plans) => {
        run += 1
        const course = await perform(script, plans, run % 2 === 0 ? 'sqlite' : 'memory')
        const whole = textOf(applyAll(emptyTranscript(), course.events))
        for (const { wrong, transcript } of course.all) {
          expect(wrong).toEqual([])
          expect(textOf(transcript()) === whole, 'snapshot and rest are the whole').toBe(true)
        }
        cuts += course.cuts
      },
    ),
    { numRuns: runs, endOnFailure: true },
  )
  expect(cuts).toBeGreaterThanOrEqual(runs * cutsPerRun)
})
