import type { Block } from '../../../events/types.ts'
import type { Fields } from '../../../shared/fields.ts'

/** What a tool of the demo pretends to have done. */
export interface Played {
  /** What it prints, line by line. */
  lines: readonly string[]
  exitCode?: number
  isError?: boolean
  /** Tool-specific: a diff. */
  details?: unknown
  /** What it shows besides its lines. */
  more?: readonly Block[]
}

/** A call of a tool, as a script has it. */
export interface Call {
  name: string
  input: Fields
  /** Why it must be allowed first; without a reason, nobody is asked. */
  asks?: string
  /** Plays it with the input that was allowed. */
  play(input: Fields): Played
}

/** What became of a call. */
export interface Result {
  outcome: 'done' | 'failed' | 'denied' | 'rewritten'
  /** What the person said. */
  message?: string
}

/** How a model call is pretended to fail. */
export interface Failure {
  message: string
  /** How long until it is tried again, in words’ time; without it, the run is over. */
  retryAfter?: number
}

/** One message of the demo with the tools that it calls. */
export interface Spoken {
  thinking?: string
  /** May depend on what became of the calls of the step before. */
  text: string | ((results: readonly Result[]) => string)
  calls?: readonly Call[]
  failure?: Failure
}

/** One step of a script: something said, or the events of a recorded run. */
export type Step = Spoken | 'replay'
