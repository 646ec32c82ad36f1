import type { StampedEvent } from '../../events/types.ts'

/** What can be typed, and what it does. */
export type HelpRow = readonly [typed: string, what: string]

/** Some of the commands that can be typed in a chat besides messages. */
export interface CommandGroup {
  /** Runs a line; false when it is no command of this group. */
  run(line: string): Promise<boolean>
  /** Follows what the agent reports. */
  follow?(event: StampedEvent): void
  /** What can be typed, for completion. */
  words(): readonly string[]
  /** What can be typed here, for people: only what works with this agent. */
  help(): readonly HelpRow[]
}
