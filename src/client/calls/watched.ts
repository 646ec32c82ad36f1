import type { WatchedReport, WatchedSwitch } from '../../api/types.ts'
import type { Caller, CallOptions } from '../caller.ts'
import { hasFields } from '../response.ts'

/** Calls about what the server reads of agents that run outside Sluice. */
export interface WatchedCalls {
  /** Returns the directories of the agents, and what is switched off. */
  get(options?: CallOptions): Promise<WatchedReport>
  /** Switches an agent or a project off, or on again. */
  change(change: WatchedSwitch, options?: CallOptions): Promise<WatchedReport>
}

const isReport = hasFields<WatchedReport>('isOn', 'agents', 'projectsOff')

export const watchedCalls = (caller: Caller): WatchedCalls => ({
  get: (options) => caller.json({ path: 'watched' }, isReport, options),
  change: (body, options) =>
    caller.json({ method: 'PATCH', path: 'watched', body }, isReport, options),
})
