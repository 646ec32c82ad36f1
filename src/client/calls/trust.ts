import type { ProjectTrust, TrustDecision } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'

/** Calls about trust: whether agents load the settings, hooks and extensions of a directory. */
export interface TrustCalls {
  /** Returns what agents would load from a directory, and whether it is trusted. */
  get(path: string, options?: CallOptions): Promise<ProjectTrust>
  /** Trusts the files of a directory, or starts agents without them. */
  decide(decision: TrustDecision, options?: CallOptions): Promise<ProjectTrust>
  /** Deletes the decision about a directory. */
  forget(path: string, options?: CallOptions): Promise<void>
}

const isProjectTrust = hasFields<ProjectTrust>('path', 'state', 'files')

export const trustCalls = (caller: Caller): TrustCalls => ({
  get: (path, options) => caller.json({ path: 'trust', query: { path } }, isProjectTrust, options),
  decide: (body, options) =>
    caller.json({ method: 'POST', path: 'trust', body }, isProjectTrust, options),
  forget: (path, options) =>
    caller.empty({ method: 'DELETE', path: 'trust', query: { path } }, options),
})
