import type { Log } from '../log/log.ts'
import { findAgent } from '../process/find-agent.ts'
import { followRecords } from './follow-records.ts'
import type { OwnedHttpServer } from './http-server.ts'
import type { JoinedNode } from './join-cluster.ts'
import { openLog } from './open-log.ts'
import { type NatsSettings, openNatsLog } from './open-nats-log.ts'
import type { SluiceOptions } from './sluice.ts'

/** The log of a data directory; or the one that several nodes share, and what this node is among them. */
export interface OpenedLog {
  readonly log: Log
  readonly node?: JoinedNode | undefined
  /** Sends the readers of a server what other nodes store. Called before there are readers. */
  follow(
    server: Pick<OwnedHttpServer, 'readers' | 'publishLifecycle' | 'publishLoop'>,
  ): Promise<void>
}

type Options = SluiceOptions & {
  onError(cause: unknown): void
  /** The address of the server; empty before it listens. */
  url(): string
}

/** Opens the log, and joins the nodes that share it. */
export const openSharedLog = async (options: Options): Promise<OpenedLog> => {
  const { nats, data } = options
  if (nats) return openAsNode(nats, options)
  return { log: await openLog(data, options), follow: async () => {} }
}

const openAsNode = async (
  nats: NatsSettings,
  { data, roots, agents, onError, url, ...options }: Options,
): Promise<OpenedLog> => {
  const log = await openNatsLog(data, nats, onError)
  const { findProgram = findAgent, maxAgents = 16 } = options
  try {
    const { joinCluster } = await import('./join-cluster.ts')
    const node = await joinCluster(log, {
      ...{ data, url, roots, maxAgents, onError, settings: nats },
      hasAgent: (agent) =>
        (!agents || agents.includes(agent.name)) && findProgram(agent) !== undefined,
      onNotice: options.onNotice ?? ((message) => onError(new Error(message))),
    })
    return {
      ...{ log, node },
      async follow(server) {
        await node.follow(server.readers)
        await followRecords(log, server, onError)
      },
    }
  } catch (cause) {
    await log.close()
    throw cause
  }
}
