import { get } from 'node:http'
import { natsMissing, startNats } from '../test/support/nats-server.ts'
import {
  createServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../test/support/server-process.ts'
import { cpuMs } from './cpu-time.ts'
import type { BenchPart } from './part.ts'
import { atLeast, printTitle, skipped } from './report.ts'
import { ratioOf, runRounds } from './rounds.ts'

/** How many streams each node serves. */
const viewersPerNode = 300
/** How often the agent of the demo writes its long text. */
const runs = 4

/**
 * Measures how many more viewers three nodes serve than one. All nodes share the cores of this machine, so
 * the figure is computed from CPU time: with a core for each node, a fleet is at its limit when its
 * busiest node is.
 */
export const runViewers: BenchPart = async (options) => {
  const rounds = options.rounds(3)
  printTitle('viewers', `one session, ${viewersPerNode} streams at each node; ${rounds} rounds`)
  const missing = natsMissing()
  if (missing !== undefined) return [skipped('viewers of several nodes', missing)]
  const contenders = new Map([
    ['one', () => measureFleet(['one'])],
    ['three', () => measureFleet(['one', 'two', 'three'])],
  ] as const)
  const figures = await runRounds(contenders, rounds)
  const one = figures.get('one') ?? []
  const three = figures.get('three') ?? []
  return [
    atLeast(
      'viewers of three nodes over one, by CPU time',
      2.5,
      ratioOf(
        one.map((busiest) => 3 * busiest),
        three,
      ),
      `${perDelivery(one)} and ${perDelivery(three)} µs per delivery at the busiest node`,
    ),
  ]
}

const perDelivery = (values: readonly number[]): string => Math.min(...values).toFixed(1)

/** CPU time of the busiest node per delivery to its viewers, in µs. */
const measureFleet = async (names: readonly string[]): Promise<number> => {
  const nats = await startNats(1)
  const shared = createServerDirectories()
  const nodes: ServerProcess[] = []
  const own = names.map(() => createServerDirectories())
  try {
    for (const [at, name] of names.entries())
      nodes.push(
        await startServerProcess(
          { ...shared, data: own[at]?.data ?? '' },
          {
            args: ['--nats', nats.urls.join(), '--node', name, '--sandbox', 'off'],
            env: { ...process.env, SLUICE_DEMO_PACE: '1' },
          },
        ),
      )
    const [first] = nodes
    if (!first) throw new Error('There is no node.')
    const project = await first.client.projects.create({ name: 'p', path: shared.projects })
    const { id } = await first.client.sessions.create({ projectId: project.id, agent: 'demo' })
    return await measureViewers(nodes, first, id)
  } finally {
    await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
    await nats.stop()
    for (const { remove } of [...own, shared]) remove()
  }
}

const measureViewers = async (
  nodes: readonly ServerProcess[],
  first: ServerProcess,
  sessionId: string,
): Promise<number> => {
  const viewers = nodes.flatMap((node) =>
    Array.from({ length: viewersPerNode }, () => startViewer(node, first.token, sessionId)),
  )
  await Promise.all(viewers.map(({ opened }) => opened))
  const before = nodes.map(cpuOf)
  for (let run = 1; run <= runs; run += 1) {
    await first.client.sessions.prompt(sessionId, 'long')
    await Promise.all(viewers.map((viewer) => viewer.ended(run)))
  }
  const spent = nodes.map((node, at) => cpuOf(node) - (before[at] ?? 0))
  for (const { close } of viewers) close()
  const { head } = await first.client.sessions.events(sessionId, { limit: 1 })
  return (Math.max(...spent) * 1000) / (head * viewersPerNode)
}

const cpuOf = ({ child }: ServerProcess): number => cpuMs(child.pid ?? 0)

/** Reads a stream, and counts the runs that end in it. */
const startViewer = ({ url }: ServerProcess, token: string, sessionId: string) => {
  const isOpen = Promise.withResolvers<void>()
  let ends = 0
  let tail = ''
  let wake = Promise.withResolvers<void>()
  const request = get(
    `${url}/api/v1/sessions/${sessionId}/stream`,
    { headers: { Authorization: `Bearer ${token}` }, agent: false },
    (response) => {
      response.setEncoding('latin1').on('data', (text: string) => {
        isOpen.resolve()
        const all = tail + text
        const found = all.split('"type":"agent_end"').length - 1
        tail = found > 0 ? all.slice(all.lastIndexOf('"agent_end"') + 11) : all.slice(-20)
        if (found === 0) return
        ends += found
        wake.resolve()
        wake = Promise.withResolvers()
      })
    },
  )
  request.on('error', isOpen.reject)
  return {
    opened: isOpen.promise,
    async ended(count: number): Promise<void> {
      while (ends < count) await wake.promise
    },
    close: () => void request.destroy(),
  }
}
