import type { AgentEvent } from '../events/types.ts'
import type { Shortcut } from '../lines/index.ts'
import type { CommandReply, Live } from './live.ts'

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
  /** Its name on the bus: the namespace of its subjects is `adapter:<adapter>`. */
  readonly adapter: string
}

/** An agent in the table of agents: listed at once, loaded when it is needed. */
export interface AgentEntry extends AgentDescription {
  /** Loads the agent’s decoder and commands. */
  load(): Promise<Agent>
}

/** One kind of agent: how to start it and how to read it. */
export interface Agent extends AgentDescription {
  /**
   * Signals that stop a one-shot run, mildest first. Each lets the agent stop its own tools where
   * it can. The last is always SIGKILL.
   */
  readonly stopSignals: readonly StopSignal[]
  /** Arguments of a one-shot run: it prints its stream and exits. */
  command(prompt: string, options?: CommandOptions): string[]
  /** Creates a decoder for the stdout of one process. */
  createDecoder(options?: DecoderOptions): Decoder
  /** How to drive the agent while it runs; absent if it cannot be driven. */
  readonly live?: Live
  /** Creates a reader of frequent lines that does not parse them whole. */
  createShortcut?(): Shortcut<unknown>
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL'

export interface CommandOptions {
  model?: string
  /** Further arguments for the agent’s program. */
  extra?: readonly string[]
}

/** Turns the lines of one process into events. Pure: no clock, no random ids, no I/O. */
export interface Decoder {
  /** Decodes one parsed line of stdout into zero or more events. */
  push(line: unknown): AgentEvent[]
  /** Stdout has closed: returns the events that close everything that is still open. */
  end(): AgentEvent[]
}

export interface DecoderOptions {
  /** Prefix of the message ids that the decoder makes, to keep them unique in a session. */
  scope?: string
  /** Receives the agent’s replies to commands. They are not events. */
  onReply?(reply: CommandReply): void
}
