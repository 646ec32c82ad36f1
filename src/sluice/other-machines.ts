import { existsSync } from 'node:fs'
import { z } from 'zod'
import type { Cluster } from '../cluster/cluster.ts'
import type { Peers } from '../cluster/peers.ts'
import { presenceState } from '../events/session-events.ts'
import type { OtherMachines, PresenceElsewhere } from '../watch/other-machines.ts'

/** The kind of requests that ask a node what an agent does on its machine. */
const presenceKind = 'presence'
/** A node looks at processes and small files. */
const presenceMs = 5000

/** Fields that are not known are ignored. */
const presenceQuery = z.object({
  agent: z.string(),
  nativeId: z.string(),
  cwd: z.string(),
  file: z.string().optional(),
  lastWrite: z.number().optional(),
})

/** A state that is not known counts as none. */
const presenceReply = z.object({ state: presenceState, pid: z.number().optional() })

/** What nodes ask each other about agents in terminals. */
export const createOtherMachines = ({
  cluster,
  peers,
}: {
  cluster: Cluster
  peers: Peers
}): OtherMachines => {
  const names = (): string[] => cluster.nodes().map(({ node }) => node)

  const ask = async (node: string, query: unknown): Promise<PresenceElsewhere> => {
    const options = { deadlineMs: presenceMs, signal: AbortSignal.timeout(presenceMs) }
    const reply = await peers.request(node, presenceKind, query, options)
    const value =
      reply.outcome === 'answered' ? presenceReply.safeParse(reply.value).data : undefined
    return { node, presence: value ?? { state: 'unknown' } }
  }

  return {
    node: cluster.node,
    isLiving: (node) => names().includes(node),
    isHousekeeper: cluster.isHousekeeper,
    onChange(listener) {
      let before = names().join()
      return cluster.onChange(() => {
        const now = names().join()
        if (now === before) return
        before = now
        listener()
      })
    },
    findPresence: (query) =>
      Promise.all(
        names()
          .filter((node) => node !== cluster.node)
          .map((node) => ask(node, query)),
      ),
    serve(find) {
      peers.serve(presenceKind, async (payload) => {
        const query = presenceQuery.parse(payload)
        // Without the file, the session is not on this machine, whatever runs in such a directory.
        return query.file !== undefined && existsSync(query.file) ? find(query) : { state: 'gone' }
      })
    },
  }
}
