import type { AgentSwitch, ModeChoice } from '../../../src/events/types.ts'
import { isShellCall } from '../../../src/transcript/index.ts'
import { useSessionAgent } from '../agents/use-session-agent.ts'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { useStore } from '../lib/use-store.ts'
import { isReadOnly } from './is-read-only.ts'
import { useSession } from './session-scope.ts'

/** What a person can change about the agent of a session. What the agent does not have is empty. */
export interface SessionChoices {
  /** Display name of the agent. */
  readonly agentTitle: string
  readonly modes: readonly ModeChoice[]
  /** The current mode, in the agent’s own term. */
  readonly mode: string | undefined
  readonly mayChangeMode: boolean
  /** The levels of thinking. */
  readonly levels: readonly string[]
  readonly canChangeModel: boolean
  readonly canCompact: boolean
  /** Whether a copy of the conversation can be continued in a new session. */
  readonly canFork: boolean
  readonly switches: readonly AgentSwitch[]
  readonly hasShell: boolean
  readonly isShellRunning: boolean
}

/** A running agent knows best what it offers; before it runs, the server’s list of agents counts. */
export const useSessionChoices = (id: string): SessionChoices => {
  const { overview } = useApp()
  const session = useStore(overview).sessions.find((each) => each.id === id)
  const transcript = useStore(useSession().transcript)
  const agent = useSessionAgent(id)
  const mayApprove = useMay('approve')
  const mayAdmin = useMay('admin')
  const can = agent?.capabilities
  const running = transcript ? [...transcript.running.keys()] : []
  return {
    agentTitle: session?.agentTitle ?? agent?.title ?? session?.agent ?? 'The agent',
    modes: transcript?.modes ?? agent?.capabilities.modes ?? [],
    mode: transcript?.permissionMode ?? session?.start?.mode,
    mayChangeMode: mayApprove,
    levels: transcript?.thinkingLevels ?? can?.thinking ?? [],
    canChangeModel: can?.models !== false,
    canCompact: can?.compact !== false,
    canFork: !isReadOnly(session) && (session?.canFork ?? can?.fork ?? false),
    switches: mayAdmin ? (can?.switches ?? []) : [],
    hasShell: mayApprove && can?.shell === true,
    isShellRunning: running.some(isShellCall),
  }
}
