import type {
  AgentEvent,
  Capabilities,
  StartOption,
  StartOptions,
  StartSupport,
} from '../events/types.ts'
import type { Shortcut } from '../lines/index.ts'
import type { CommandReply, Live, LiveOptions } from './live.ts'
import type { KnownCall } from './tool-calls/known-call.ts'
import { isAtLeast } from './version.ts'

/** What is known of an agent before its code is loaded. */
export interface AgentDescription {
  /** Its key in the table of agents, as commands and requests name it. */
  readonly name: string
  /** What people call it. */
  readonly title: string
  /** Its program, as it is looked up on PATH. */
  readonly program: string
  /** Environment variable that names the program instead. */
  readonly programVariable: string
  /** It comes with Sluice: its program is the Node that runs Sluice. */
  readonly isBuiltIn?: true
  /** It has no program of its own: a person names the command to run. */
  readonly runsCommand?: true
  /** Where it stores its settings, logins and history. It must be able to write there. */
  readonly config?: AgentConfig
  /** Environment variables that it starts with. A person’s own value wins. */
  readonly env?: Readonly<Record<string, string>>
  /** Environment variables that a person wrote for this agent: they win over the environment. */
  readonly setEnv?: Readonly<Record<string, string>>
  /** How to get it: a command, or an address. */
  readonly install?: string
  /** How a person logs in, as a short text. */
  readonly login?: string
  /** Where it comes from. Absent for the agents of the table. */
  readonly origin?: AgentOrigin
  /** The agent of the table whose project files it loads. Default: itself. */
  readonly readsFilesOf?: string
  /** What it can do. */
  readonly capabilities: Capabilities
  /** Names of its other streams, as recordings and `sluice decode` name them. */
  readonly otherStreams?: readonly string[]
  /** Its name on the bus: the namespace of its subjects is `adapter:<adapter>`. */
  readonly adapter: string
  /**
   * The first version that waits while its output is not read. Earlier ones lose output or die.
   * Absent if all versions wait.
   */
  readonly waitsSince?: string
  /** What can be chosen when a session starts; what is not named here is refused. */
  readonly start?: StartSupport
  /** What it loads by itself from a project, as code or settings. A person must trust it first. */
  readonly projectPaths?: readonly ProjectPath[]
}

/** `preset`: known to Sluice. `user`: from the data directory. `project`: from a trusted project. */
export type AgentOrigin = 'preset' | 'user' | 'project'

/** A file or folder of a project that an agent loads by itself. */
export interface ProjectPath {
  /** From the directory that the agent starts in. */
  readonly path: string
  readonly kind: 'settings' | 'mcp_servers' | 'hook' | 'extension' | 'agent' | 'command' | 'skill'
  /** The agent also looks for it in the directories above. In the home directory it is the user’s. */
  readonly isInherited?: true
}

/** Where an agent stores its settings. */
export interface AgentConfig {
  /** Environment variable that names a directory to use instead. */
  readonly variable: string
  /** Directories below the home directory. */
  readonly directories: readonly string[]
  /** Files in the home directory. */
  readonly files?: readonly string[]
}

/** Whether an agent waits while its output is not read. One of an unknown version counts as new. */
export const canWait = (
  { waitsSince }: Pick<AgentDescription, 'waitsSince'>,
  version: string | null,
): boolean => waitsSince === undefined || version === null || isAtLeast(version, waitsSince)

/** An agent in the table of agents: listed at once, loaded when it is needed. */
export interface AgentEntry extends AgentDescription {
  /** Loads the agent’s decoder and commands. */
  load(): Promise<Agent>
}

/** How a stream of lines is read. */
export interface StreamFormat {
  /** The stream is text, not lines of JSON: the decoder receives it in parts, as strings. */
  readonly isText?: true
  /** Creates a decoder for the stdout of one process. */
  createDecoder(options?: DecoderOptions): Decoder
  /** Creates a reader of frequent lines that does not parse them whole. */
  createShortcut?(): Shortcut<unknown> | undefined
  /**
   * The JSON in a line that is not JSON by itself, such as a `data:` line of server-sent events. An
   * empty string if the line carries nothing, undefined if it is malformed.
   */
  unwrapLine?(text: string): string | undefined
}

/** One kind of agent: how to start it and how to read it. */
export interface Agent extends AgentDescription, StreamFormat {
  /**
   * Signals that stop a one-shot run, mildest first. Each lets the agent stop its own tools where
   * it can. The last is always SIGKILL.
   */
  readonly stopSignals: readonly StopSignal[]
  /** Arguments of a one-shot run: it prints its stream and exits. */
  command(prompt: string, options?: CommandOptions): string[]
  /**
   * Further arguments of a one-shot run that continues a conversation, by the agent’s own id of it. They
   * come after all other flags. Absent if the agent cannot do that.
   */
  resumeArgs?(conversationId: string): string[]
  /** The start options that `command` passes on. Default: all that the agent has. */
  readonly oneShotOptions?: readonly StartOption[]
  /** Why this version of the agent cannot start with these options, for people. */
  startProblem?(
    start: StartOptions,
    version: string | undefined,
    how?: Pick<LiveOptions, 'fork'>,
  ): string | undefined
  /** What a call of one of the agent’s own tools does; undefined if that is not certain. */
  knownCall?(toolName: string, args: unknown): KnownCall | undefined
  /** The file with the complete output of a call, whose result has only a part of it. */
  outputFile?(details: unknown): StoredOutput | undefined
  /** How to drive the agent while it runs; absent if it cannot be driven. */
  readonly live?: Live
  /** How it starts in a project that has some of its `projectPaths`. */
  startInProject?(project: ProjectToStart): ProjectStart
  /** Further environment variables in a project that has none of its `projectPaths`. */
  readonly emptyProjectEnv?: Readonly<Record<string, string>>
}

/** A file that an agent names. Nothing is believed about it before it is opened. */
export interface StoredOutput {
  path: string
  /** What its path from the agent’s own directory must look like. */
  pattern: RegExp
}

/** A project that has files which the agent would load. */
export interface ProjectToStart {
  /** Whether a person trusts the project. If not, the agent must start without those files. */
  isTrusted: boolean
  /** The version of the agent’s program; null if it is unknown. */
  version: string | null
  /** The directory that the agent starts in: its real path. */
  directory: string
  /** The paths of the files, from the directory. */
  paths: readonly string[]
  /** There are too many files, so `paths` does not have all of them. */
  isTooLarge?: boolean
  /** It starts for a single prompt, and not for a session. */
  isOneShot?: true
}

/** How an agent starts in a project. */
export interface ProjectStart {
  /** Further arguments. */
  args: readonly string[]
  /** Further environment variables. */
  env?: Readonly<Record<string, string>>
  /** Why the agent must not start: this version cannot leave the files out. */
  refusal?: string
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL'

export interface CommandOptions {
  model?: string
  /** The version of the agent’s program; absent if it is unknown. */
  version?: string | undefined
  /** What a person chose for the run: only options that the agent’s `start` names. */
  start?: StartOptions
  /** Further arguments for the agent’s program. */
  extra?: readonly string[]
}

/** Turns the lines of one process into events. Pure: no clock, no random ids, no I/O. */
export interface Decoder {
  /** Decodes one parsed line of stdout into zero or more events. */
  push(line: unknown): AgentEvent[]
  /**
   * Stdout has closed: returns the events that close everything that is still open. `exit` is how the
   * process ended, where that is known.
   */
  end(exit?: ProcessExit): AgentEvent[]
}

/** How a process ended. */
export interface ProcessExit {
  /** Null if a signal ended it. */
  code: number | null
  signal: string | null
  /** The end of what it printed to stderr. */
  stderr?: string
}

export interface DecoderOptions {
  /** Prefix of the message ids that the decoder makes, to keep them unique in a session. */
  scope?: string
  /** The model that the agent was started with, for streams that do not name it. */
  model?: string
  /** The arguments that a person gave to the agent’s program. */
  extra?: readonly string[]
  /** The agent’s own id of the session, as the name of its file says. The lines of copies may differ. */
  nativeId?: string
  /** Receives the agent’s replies to commands. They are not events. */
  onReply?(reply: CommandReply): void
}
