import type { Client } from '../../client/client.ts'
import { isSessionEvent, type ManyEvent } from '../../client/stream-events.ts'
import type { LoopInfo } from '../../events/types.ts'
import { defined } from '../../shared/fields.ts'
import { projectAt } from '../remote/open-server-session.ts'
import { printError } from '../terminal.ts'
import { isSettled, type LoopHost } from './loop-host.ts'
import type { LoopView } from './loop-view.ts'

/** The loops of a running server. */
export const serverLoops = (client: Client): LoopHost => {
  const { loops } = client
  return {
    isServer: true,
    async create({ cwd, ...wanted }) {
      const { id: projectId } = await projectAt(client, cwd)
      return loops.create({ ...defined(wanted), agent: wanted.agent, projectId })
    },
    list: () => loops.list(),
    change: (id, change) => loops.update(id, change),
    pause: (id, abort) => loops.pause(id, { abort }),
    resume: (id) => loops.resume(id),
    stop: (id) => loops.stop(id),
    follow: (loop, view) => follow(client, loop, view),
    othersDone: async () => {},
    kill() {},
    close: async () => {},
  }
}

/** Shows a loop as the overview of the server reports it, and the events of its sessions. */
const follow = async (client: Client, first: LoopInfo, view: LoopView): Promise<LoopInfo> => {
  const { promise, resolve, reject } = Promise.withResolvers<LoopInfo>()
  const own = new Set<string>()
  let isLost = false

  const accept = (loop: LoopInfo): void => {
    const current = loop.iterations.at(-1)
    if (current && !own.has(current.sessionId)) {
      own.add(current.sessionId)
      // From its first event on. Those of the one before may still be on their way.
      watched.setSessions(new Map([...own].slice(-2).map((id) => [id, 0])))
    }
    view.update(loop)
    if (isSettled(loop)) resolve(loop)
  }
  const onEvents = (events: readonly ManyEvent[]): void => {
    for (const event of events) {
      if (event.type === 'loop_updated' && event.loop.id === first.id) accept(event.loop)
      if (event.type === 'overview')
        for (const loop of event.loops ?? []) if (loop.id === first.id) accept(loop)
      if (isSessionEvent(event) && event.type !== 'snapshot' && own.has(event.sessionId))
        view.event(event)
    }
  }
  const watched = client.watch({
    onEvents,
    onState(state) {
      if (state.status === 'stopped' && state.error) reject(state.error)
      if (state.status === 'waiting' && !isLost)
        printError('lost the connection to the server; trying again')
      isLost = state.status === 'waiting' || (isLost && state.status === 'connecting')
    },
  })
  accept(first)
  try {
    const last = await promise
    // Events that were sent before have arrived then. The server may end with its last loop.
    await client.loops.get(last.id).catch(() => undefined)
    return last
  } finally {
    watched.close()
  }
}
