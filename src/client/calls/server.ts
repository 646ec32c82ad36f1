import { agentList } from '../../api/agent.ts'
import { health } from '../../api/health.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { path } from '../path.ts'

/** `GET health` */
export const healthCall = (caller: Caller) => (options?: CallOptions) =>
  caller.get({ path: 'health' }, health, options)

/** `agents` */
export const agentCalls = (caller: Caller) => ({
  list: async (options?: CallOptions) =>
    (await caller.get({ path: 'agents' }, agentList, options)).agents,
})

/** `blobs` */
export const blobCalls = (caller: Caller) => ({
  /** The bytes, with their media type. */
  get: (hash: string, options?: CallOptions) =>
    caller.bytes({ path: path`blobs/${hash}` }, options),
})
