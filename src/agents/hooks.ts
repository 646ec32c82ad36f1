import type { EventOf } from '../events/types.ts'
import type { Fields } from '../shared/fields.ts'
import type { ApprovalReply } from './live.ts'

/**
 * How the sessions that people run in their own terminals reach Sluice: the agent starts a program, its
 * hook, at certain moments. Pure: no clock, no I/O.
 */
export interface AgentHooks {
  /** What the hooks can do: report only, or also ask a person instead of the terminal. */
  readonly ability: 'ask' | 'report'
  /**
   * Present if the hooks can ask, too, but only where a person wants that: what it costs, a sentence each.
   */
  readonly asking?: readonly string[]
  /**
   * How long a request waits for an answer, in seconds. `terminal`: in a session where a person sits.
   * Absent: as long as the prompt of the terminal, which people can answer meanwhile. `subagent`: for a
   * subagent in such a session; default: as for the agent. `print`: in a run that nobody watches.
   */
  readonly waits: {
    readonly terminal?: number
    readonly subagent?: number
    readonly print: number
  }
  /** What people must know about the hooks of this agent: a sentence each. */
  readonly limits: readonly string[]
  /** Where and how the agent’s settings name a hook. */
  readonly settings: HookSettings
  /** Reads what the agent passes to its hook; undefined if it is nothing that Sluice needs. */
  read(input: Fields): HookMessage | undefined
  /** What the hook prints to answer a request. Absent if hooks of the agent cannot answer. */
  answer?(request: EventOf<'approval_request'>, reply: ApprovalReply): unknown
  /** What a line of the agent’s session file says about a call that waits; undefined: nothing. */
  resultOf?(line: Fields, callId: string): CallOutcome | undefined
}

/** What became of a call in the terminal. */
export type CallOutcome = 'ran' | 'denied'

/** Where and how the hooks of an agent are installed. */
export type HookSettings = HookEntries | HookFile

interface HookLocation {
  /** The user’s file: below the directory that the variable names, or below the home directory. */
  readonly user: { readonly variable: string; readonly below: string; readonly home: string }
  /** The file of a project, from its directory. Absent if hooks are installed for users only. */
  readonly project?: string
}

/** Entries in a JSON file of settings. */
export interface HookEntries extends HookLocation {
  /** Our hooks, by event. The command is that of the hook. `asks`: a person wants `asking`. */
  entries(command: string, asks: boolean): Readonly<Record<string, readonly unknown[]>>
  /** The types of hooks that the agent has. One that it does not have can switch all hooks off. */
  readonly types: readonly string[]
  /** Each entry of an event is a hook, and not a group of hooks. */
  readonly isFlat?: true
  /** The file before the first entry, where there is none yet. Default: an empty object. */
  readonly empty?: string
}

/** A whole file of ours: an extension that the agent loads. */
export interface HookFile extends HookLocation {
  /** The module of ours that the file loads, such as `pi/ask.js`. */
  readonly module: string
  /** The text of the file, without the line that marks it as ours. */
  source(module: string, data: string): string
}

/** A session of an agent, as its hooks name it. */
export interface TerminalRun {
  /** The agent’s own id of the session. */
  nativeId: string
  /** The directory that the agent works in. */
  cwd: string
  /** The agent’s session file. */
  transcriptPath?: string
  /** The subagent that the hook is about. */
  subagentId?: string
  /** The prompt that the agent works on. */
  promptId?: string
}

/** A tool call, as hooks describe it. */
export interface HookCall {
  /** Absent where the agent does not name it. */
  callId?: string
  toolName: string
  args: unknown
}

/** What a hook says, in the same words for all agents. */
export type HookMessage = TerminalRun &
  (
    | { type: 'request'; call: HookCall; request: EventOf<'approval_request'> }
    | { type: 'call'; call: HookCall }
    /** `outcome`: a call that did not run. */
    | { type: 'call_ended'; call: HookCall; isError: boolean; outcome?: CallOutcome }
    | { type: 'started'; source?: string; model?: string }
    /** A person sent a prompt. */
    | { type: 'prompted' }
    /** The agent is done with a prompt, or a subagent is done. */
    | { type: 'stopped' }
    /** The agent waits for a person. */
    | { type: 'waiting'; reason?: string }
    | { type: 'ended'; reason?: string }
  )
