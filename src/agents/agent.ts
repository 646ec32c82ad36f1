import type { AgentEvent } from '../events/types.ts'
import type { Shortcut } from '../lines/index.ts'
import type { CommandReply, Live } from './live.ts'

/** Turns the lines of one agent process into events. Pure: no clock, no random ids, no I/O. */
export interface Decoder {
  /** One parsed stdout line in, zero or more events out. */
  push(line: unknown): AgentEvent[]
  /** Stdout has closed: settle whatever is still open. */
  end(): AgentEvent[]
}

export interface DecoderOptions {
  /** Put before the message ids that the decoder makes, so that they stay unique in a session. */
  scope?: string
  /** Told of the agent’s replies to commands, which are not events. */
  onReply?(reply: CommandReply): void
}

export interface CommandOptions {
  model?: string
  /** Further arguments for the agent, as the person gave them. */
  extra?: readonly string[]
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL'

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
   * Signals that end a one-shot run, mildest first. Each must let the agent end its own tools where
   * it can: the last is always SIGKILL.
   */
  readonly stopSignals: readonly StopSignal[]
  /** Arguments of one run that prints its stream and ends. */
  command(prompt: string, options?: CommandOptions): string[]
  createDecoder(options?: DecoderOptions): Decoder
  /** Present where the agent can be driven while it lives. */
  readonly live?: Live
  /** Reads frequent lines without parsing them whole. */
  createShortcut?(): Shortcut<unknown>
}
