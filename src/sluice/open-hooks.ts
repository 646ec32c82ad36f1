import type { Actor } from '../events/types.ts'
import { createHookDesk, type HookDesk, type HookDeskOptions } from '../hooks/hook-desk.ts'
import { openHookSocket } from '../hooks/hook-socket.ts'
import { createAuditor, thisProgram } from '../log/auditor.ts'
import type { JoinedNode } from './join-cluster.ts'
import type { OutsideAgents } from './outside-agents.ts'

export interface OpenHooksOptions
  extends Pick<HookDeskOptions, 'log' | 'watched' | 'rules' | 'onError'> {
  data: string
  outside: Pick<OutsideAgents, 'presence'>
  /** Whether hooks can connect. */
  listensForHooks: boolean
  /** Present when several nodes share the log: the open questions in it may be those of another one. */
  node?: Pick<JoinedNode, 'machines'> | undefined
  /** What the audit calls this program. */
  program: Actor | undefined
}

/** Opens what takes the questions of agents in terminals, with the socket that their hooks connect to. */
export const openHooks = async ({
  data,
  outside: { presence },
  listensForHooks,
  node,
  program = thisProgram,
  ...options
}: OpenHooksOptions): Promise<HookDesk> => {
  const { log, onError } = options
  const now = Date.now
  const recordAction = createAuditor({ audit: log.audit, program, now, onError })
  const nodeName = node?.machines.node
  const desk = createHookDesk({ ...options, presence, nodeName, recordAction, now })
  await desk.closeLeftovers().catch(onError)
  if (!listensForHooks) return desk
  const socket = await openHookSocket(data, desk.receive).catch((cause: unknown) => {
    // Agents ask in their terminals then, and all else works.
    onError(cause)
    return undefined
  })
  if (socket?.path !== undefined)
    onError(new Error(`The path of ${data} is too long for the hooks of agents in terminals.`))
  return {
    ...desk,
    async close() {
      socket?.close()
      await desk.close()
    },
  }
}
