import type { LoopChange, LoopList, LoopPause, NewLoop } from '../../api/types.ts'
import type { LoopInfo } from '../../events/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'
import { path } from '../transport.ts'
import { type ConfirmOptions, proofHeaders } from './passkeys.ts'

/** Calls about loops: agents that work on the same prompt again and again. */
export interface LoopCalls {
  /** Returns all loops, newest first. */
  list(options?: CallOptions): Promise<LoopInfo[]>
  get(id: string, options?: CallOptions): Promise<LoopInfo>
  /** Starts a loop on the server. */
  create(loop: NewLoop, options?: ConfirmOptions): Promise<LoopInfo>
  /** Changes the name, the prompt or the limits of a loop. */
  update(id: string, change: LoopChange, options?: CallOptions): Promise<LoopInfo>
  /** Pauses a loop after the iteration that runs, or with `abort` at once. */
  pause(id: string, options?: CallOptions & LoopPause): Promise<LoopInfo>
  resume(id: string, options?: CallOptions): Promise<LoopInfo>
  /** Ends a loop, and the iteration that runs. */
  stop(id: string, options?: CallOptions): Promise<LoopInfo>
}

const isLoop = hasFields<LoopInfo>('id', 'state', 'limits')
const isLoopList = hasFields<LoopList>('loops')

export const loopCalls = (caller: Caller): LoopCalls => {
  const post = (route: string) => (id: string, options?: CallOptions) =>
    caller.json({ method: 'POST', path: path`loops/${id}/${route}` }, isLoop, options)
  return {
    list: async (options) => (await caller.json({ path: 'loops' }, isLoopList, options)).loops,
    get: (id, options) => caller.json({ path: path`loops/${id}` }, isLoop, options),
    create: (body, { proof, ...options } = {}) =>
      caller.json(
        { method: 'POST', path: 'loops', body, headers: proofHeaders(proof) },
        isLoop,
        options,
      ),
    update: (id, body, options) =>
      caller.json({ method: 'PATCH', path: path`loops/${id}`, body }, isLoop, options),
    pause: (id, { abort, ...options } = {}) =>
      caller.json(
        { method: 'POST', path: path`loops/${id}/pause`, body: { abort } },
        isLoop,
        options,
      ),
    resume: post('resume'),
    stop: post('stop'),
  }
}
