// A node of a cluster as a process of its own. It claims sessions, appends numbered events to those that it
// owns, and reads all of them. It prints one JSON text per line: what it tried, and what became of it.
import { writeSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { openCluster } from '../../../src/cluster/cluster.ts'
import type { StampedEvent } from '../../../src/events/types.ts'
import { openJetStreamLog } from '../../../src/log/jetstream/jetstream-log.ts'
import { LogFault } from '../../../src/log/log-fault.ts'
import { Fault } from '../../../src/shared/fault.ts'
import { reasonOf } from '../../../src/shared/reason.ts'

const [servers = '', tenant = '', node = '', data = '', leaseMs = '', count = ''] =
  process.argv.slice(2)
const ids = Array.from({ length: Number(count) }, (_, index) => `s${index}`)
/** Synchronous: what was printed before a kill arrives. */
const print = (line: object): void => void writeSync(1, `${JSON.stringify(line)}\n`)
const stopping = new AbortController()

const log = await openJetStreamLog(data, {
  servers: servers.split(','),
  ...{ tenant, replicas: 3, node },
  onError: (cause) => print({ error: reasonOf(cause) }),
})
const { link, names } = log
const cluster = await openCluster({
  ...{ link, names, replicas: 3, leaseMs: Number(leaseMs) },
  description: () => ({
    ...{ node, home: data, url: 'http://127.0.0.1/', version: '0', agents: [], maxAgents: 1 },
    startedAt: 0,
  }),
  onNotice: (notice) => print({ notice }),
  onError: (cause) => print({ error: reasonOf(cause) }),
})
let epoch = 0
cluster.follow({
  onOrphan: async (orphan) => print({ orphan }),
  async onLost() {
    epoch += 1
    print({ lost: true })
  },
  releaseIdle: async () => {},
  status: () => ({ sessions: 0, running: 0 }),
})

/** The code of what a call ended with. Anything else is an error of ours. */
const codeOf = (cause: unknown): string => {
  if (cause instanceof LogFault || cause instanceof Fault) return cause.code
  print({ bug: reasonOf(cause) })
  return 'bug'
}

const eventsOf = (sessionId: string, first: number, values: readonly string[]): StampedEvent[] =>
  values.map((delta, index) => ({
    ...{ type: 'message_update', messageId: 'm', sessionId, seq: first + index, timestamp: 0 },
    assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta },
  }))

/** Appends until the session is lost, or for a while: then another node may have it. */
const write = async (id: string): Promise<void> => {
  const claim = `${node}.${process.pid}.${epoch}.${performance.now()}`
  let next = (await log.head(id)) + 1
  let number = 0
  while (!stopping.signal.aborted && cluster.holds(id) && number < 400) {
    const values = Array.from({ length: 1 + (number % 3) }, () => `${claim}:${number++}`)
    print({ invoke: id, first: next, values })
    const code = await log.append(id, eventsOf(id, next, values)).then(() => 'ok', codeOf)
    print({ done: id, first: next, values, code })
    if (code !== 'ok') break
    next += values.length
    await pause(50)
  }
}

const own = async (id: string): Promise<void> => {
  while (!stopping.signal.aborted) {
    const code = await cluster.claim(id).then(() => 'ok', codeOf)
    if (code === 'ok') {
      await write(id).catch((cause: unknown) => codeOf(cause))
      await cluster.release(id).catch((cause: unknown) => codeOf(cause))
    }
    await pause(50 + Math.random() * 100)
  }
}

/** Reads a session as it grows, like a client that resumes behind what it has seen. */
const read = async (id: string): Promise<void> => {
  let after = Math.max(0, (await log.head(id).catch(() => 0)) - 200)
  while (!stopping.signal.aborted) {
    try {
      for await (const { first, texts } of log.readText(id, after)) {
        const values = texts.map((text) => JSON.parse(text).assistantMessageEvent.delta)
        print({ seen: id, first, values })
        if (first !== after + 1) print({ bug: `a page begins with ${first}, not ${after + 1}` })
        after = first + texts.length - 1
      }
    } catch (cause) {
      codeOf(cause)
    }
    await pause(50)
  }
}

print({ ready: node })
const working = [...ids.map(own), ...ids.map(read)]
process.once('SIGTERM', async () => {
  stopping.abort()
  await Promise.all(working)
  await cluster.close()
  await log.close()
  print({ closed: node })
  process.exit()
})
