// Appends events to the log in JetStream, or publishes the same packed messages without the log. Each
// session has one message on its way at a time, because the servers accept no second one.
import { jetstream } from '@nats-io/jetstream'
import { connect, headers } from '@nats-io/transport-node'
import { openJetStreamLog } from '../../src/log/jetstream/jetstream-log.ts'
import { namesOf } from '../../src/log/jetstream/subjects.ts'
import { eventOf, recordOf } from '../log/events.ts'
import { type Figures, measure, printFigures } from '../log/job.ts'
import { type AppendJob, sessionCount } from './append-job.ts'

const job: AppendJob = JSON.parse(process.argv[2] ?? '')
const sessions = Array.from({ length: sessionCount }, (_, index) => `session-${index}`)
const messages = Math.ceil(job.count / job.size / sessionCount)
/** A running server has compiled its code long ago. */
const warmUp = Math.ceil(messages / 4)

const eventsOf = (sessionId: string, message: number) =>
  Array.from({ length: job.size }, (_, index) => eventOf(sessionId, message * job.size + index + 1))

/** Runs `store` for each message of each session: in order within a session, all sessions at once. */
const run = async (
  store: (session: number, message: number) => Promise<void>,
): Promise<Figures> => {
  const through = (from: number, to: number) =>
    Promise.all(
      sessions.map(async (_, session) => {
        for (let message = from; message < to; message += 1) await store(session, message)
      }),
    )
  await through(0, warmUp)
  const figures = await measure(async () => void (await through(warmUp, warmUp + messages)))
  return { ...figures, events: messages * job.size * sessionCount }
}

/** The input exists before the clock starts. */
const prepare = <Input>(make: (sessionId: string, message: number) => Input): Input[][] =>
  sessions.map((id) => Array.from({ length: warmUp + messages }, (_, index) => make(id, index)))

const appendToLog = async (): Promise<Figures> => {
  const { servers, tenant, replicas } = job
  const log = await openJetStreamLog(job.directory, { servers, tenant, replicas })
  for (const id of sessions) await log.sessions.create(recordOf(id))
  const input = prepare(eventsOf)
  const figures = await run((session, message) =>
    log.append(sessions[session] ?? '', input[session]?.[message] ?? []),
  )
  await log.close()
  return figures
}

const publishBare = async (): Promise<Figures> => {
  const { servers, tenant, replicas } = job
  // Creates the stream with the same settings.
  await (await openJetStreamLog(job.directory, { servers, tenant, replicas })).close()
  const connection = await connect({ servers: [...servers] })
  const client = jetstream(connection)
  const names = namesOf(tenant)
  const input = prepare((id, message) =>
    Buffer.from(
      eventsOf(id, message)
        .map((event) => JSON.stringify(event))
        .join('\n'),
    ),
  )
  const last = sessions.map(() => 0)
  const figures = await run(async (session, message) => {
    const id = sessions[session] ?? ''
    const first = message * job.size + 1
    const head = headers()
    head.set('Sluice-First', String(first))
    head.set('Sluice-Count', String(job.size))
    const ack = await client.publish(names.eventsOf(id), input[session]?.[message], {
      msgID: `${id}:${first}:bare`,
      headers: head,
      timeout: 5000,
      expect: { streamName: names.eventStream, lastSubjectSequence: last[session] ?? 0 },
    })
    last[session] = ack.seq
  })
  await connection.close()
  return figures
}

printFigures(await (job.contender === 'bare' ? publishBare() : appendToLog()))
