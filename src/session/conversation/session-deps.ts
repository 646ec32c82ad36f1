import type { Agent } from '../../agents/agent.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Recorder } from '../recording/recorder.ts'
import type { ApprovalPolicy } from './approvals.ts'
import type { EndReason } from './runner.ts'

/** What a session asks of the world around it. */
export interface SessionDeps {
  /** The session’s id: its agent, and what that starts, are known by it. */
  id?: string
  agent: Agent
  /** Where the agent’s program is, asked before each start; throws a Fault when there is none. */
  program(): string
  cwd: string
  env?: NodeJS.ProcessEnv
  /** File of the extension that asks before a tool runs, for agents that need one. */
  gate?: string
  recorder: Recorder
  now(): number
  /** The session’s record changed: the agent’s own id, its process, its name. */
  onRecord(patch: RecordChange): void
  /** The agent has taken a prompt at once; one that had to wait is not told. */
  onPrompt?(text: string): void
  /** The account stands at the last event that was stamped: now is the time to keep it. */
  onAccount?(): void
  /** The process has ended; its last events are on their way. */
  onEnd?(reason: EndReason, errorMessage: string | undefined): void
  /** Makes room for one more process; rejects with a Fault when there is none. */
  makeRoom?(): Promise<void>
  policy?: ApprovalPolicy
  /** What may run unasked for the rest of the session. */
  remembered?: Set<string>
  approvalMs?: number
  /** How long an agent may take to obey an abort before it is signalled. */
  abortMs?: number
  /** How long an agent may take to answer a command. */
  replyMs?: number
  /** How long a run may take to begin before the agent is asked whether one will. */
  beginMs?: number
}

export interface RecordChange {
  nativeId?: string
  model?: string
  name?: string
  title?: string
  pid?: number | null
  state?: 'idle' | 'running'
}

export interface SessionStart {
  model?: string
  /** The agent’s own session to go on with. */
  nativeId?: string
  /** Events that are in the log already; none for a new session. */
  head: number
  /** The account of those events. */
  ledger?: Ledger
}

/** Where and how the agent’s processes run: the same for each of them. */
export const processOptions = ({ id, agent, program, cwd, env, gate, replyMs }: SessionDeps) => ({
  agent,
  program: program(),
  cwd,
  ...(id !== undefined && { sessionId: id }),
  ...(env && { env }),
  ...(gate !== undefined && { gate }),
  ...(replyMs !== undefined && { replyMs }),
})
