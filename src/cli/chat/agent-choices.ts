import type { AgentSwitch, Capabilities, ModeChoice } from '../../events/types.ts'

/** What a person can change about the agent of a chat. What the agent does not have is empty. */
export interface AgentChoices {
  /** Display name of the agent. */
  title: string
  /** How a person logs in, as a short text. */
  login?: string | undefined
  modes: readonly ModeChoice[]
  mode?: string | undefined
  levels: readonly string[]
  level?: string | undefined
  /** Whether its model can be changed in a session. */
  hasModels: boolean
  model?: string | undefined
  /** Whether it can summarize the conversation on request. */
  canCompact: boolean
  /** What it does by itself and can be switched off. */
  switches: readonly AgentSwitch[]
  /** Whether its tasks in the background can be stopped. */
  hasTasks: boolean
  hasShell: boolean
  /** Whether the agent reads messages during a run. Otherwise they wait for its end. */
  canSteer: boolean
}

/** The choices that follow from what an agent can do. Without an agent, there are none. */
export const choicesIn = (
  capabilities: Partial<Capabilities> | undefined,
): Omit<AgentChoices, 'title' | 'modes'> => ({
  levels: capabilities?.thinking ?? [],
  hasModels: capabilities?.models === true,
  canCompact: capabilities?.compact === true,
  switches: capabilities?.switches ?? [],
  hasTasks: capabilities?.stopTask === true,
  hasShell: capabilities?.shell === true,
  canSteer: capabilities?.steer === true,
})
