import { natsMissing, startNats } from '../test/support/nats-server.ts'
import {
  createServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../test/support/server-process.ts'
import type { BenchPart } from './part.ts'
import { atMost, medianAtMost, printTitle, skipped } from './report.ts'
import { ratioOf } from './rounds.ts'

const leaseSeconds = 5
/** How many runs are measured. */
const runs = 6

/** Measures what a second node adds to a delivery, and how long a takeover takes. */
export const runNodes: BenchPart = async () => {
  printTitle('nodes', `two servers over three NATS servers; a lease of ${leaseSeconds} s`)
  const missing = natsMissing()
  if (missing !== undefined) return [skipped('two nodes', missing)]
  const nats = await startNats(3)
  const shared = createServerDirectories()
  const started: ServerProcess[] = []
  const start = async (name: string): Promise<ServerProcess> => {
    const own = createServerDirectories()
    const args = ['--nats', nats.urls.join(), '--node', name, '--lease', `${leaseSeconds}s`]
    const node = await startServerProcess(
      { ...own, projects: shared.projects },
      {
        args: [...args, '--replicas', '3', '--sandbox', 'off'],
        env: { ...process.env, SLUICE_DEMO_PACE: '1' },
      },
    )
    started.push(node)
    return node
  }
  try {
    const [one, two] = [await start('one'), await start('two')]
    const project = await one.client.projects.create({ name: 'p', path: shared.projects })
    const { id } = await one.client.sessions.create({ projectId: project.id, agent: 'demo' })
    const { here, there } = await measureDelivery(one, two, id)
    const takeover = await measureTakeover(one, two, id)
    return [
      atMost(
        'delivery by another node over the same node, p50',
        3,
        ratioOf(there, here),
        `${here.length} and ${there.length} events`,
      ),
      medianAtMost(
        'takeover after kill -9, beyond the lease',
        3,
        's',
        [takeover - leaseSeconds],
        `${takeover.toFixed(1)} s in all`,
      ),
    ]
  } finally {
    await Promise.all(started.map((node) => node.stop('SIGKILL')))
    await nats.stop()
    shared.remove()
  }
}

/** How long events take from their stamp to a reader at the node of the agent, and at another one, in ms. */
const measureDelivery = async (one: ServerProcess, two: ServerProcess, id: string) => {
  const over = new AbortController()
  const read = async ({ client }: ServerProcess): Promise<number[]> => {
    const delays: number[] = []
    let ends = 0
    for await (const event of client.sessions.stream(id, { after: 0, signal: over.signal })) {
      const now = performance.timeOrigin + performance.now()
      if (!('seq' in event) || event.type === 'snapshot') continue
      if (event.type === 'message_update') delays.push(now - event.timestamp)
      if (event.type === 'agent_end') ends += 1
      if (ends === runs) break
    }
    return delays
  }
  const reading = Promise.all([read(one), read(two)])
  for (let run = 0; run < runs; run += 1) {
    await one.client.sessions.prompt(id, 'long')
    while ((await one.client.sessions.get(id)).state === 'running') await soon(50)
  }
  const [here, there] = await reading
  over.abort()
  return { here, there }
}

/** From the kill of a node that runs an agent to the end of the run, as a reader of another node sees it, in s. */
const measureTakeover = async (
  one: ServerProcess,
  two: ServerProcess,
  id: string,
): Promise<number> => {
  const promptedAt = Date.now()
  await one.client.sessions.prompt(id, 'long')
  let killedAt = 0
  for await (const event of two.client.sessions.stream(id, { after: 0 })) {
    if (!('timestamp' in event) || event.timestamp < promptedAt) continue
    if (event.type === 'message_update' && killedAt === 0) {
      killedAt = performance.now()
      await one.stop('SIGKILL')
    }
    if (event.type === 'error' && event.code === 'owner_lost') break
  }
  return (performance.now() - killedAt) / 1000
}

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
