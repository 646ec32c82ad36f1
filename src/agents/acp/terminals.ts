import type { CommandTerminal, TerminalOutput } from '../workspace.ts'

/** The terminals that the agent has created, by the ids that it knows. */
export interface AcpTerminals {
  /** Adds a terminal. Returns its id. */
  add(terminal: CommandTerminal): string
  /** A terminal that the agent has not released. */
  get(id: string): CommandTerminal | undefined
  /** The agent does not need it any more. Calls that show it still have its output. */
  release(id: string): void
  /** The output of a terminal, also after its release. */
  output(id: string): TerminalOutput | undefined
  /** Follows the output for a call that shows the terminal. */
  follow(id: string, onText: (text: string, gap: boolean) => void): void
  /** Ends the commands that were started since the last prompt. */
  killNew(): void
  /** The agent works on another prompt. */
  nextPrompt(): void
}

/** The output of older ones is forgotten. */
const mostReleased = 16

/** `publish` is called after output was passed on. */
export const createAcpTerminals = (scope: string, publish: () => void): AcpTerminals => {
  const open = new Map<string, CommandTerminal>()
  const released = new Map<string, CommandTerminal>()
  const ofPrompt = new Set<CommandTerminal>()
  let count = 0

  return {
    add(terminal) {
      count += 1
      const id = `${scope}terminal-${count}`
      open.set(id, terminal)
      ofPrompt.add(terminal)
      return id
    },
    get: (id) => open.get(id),
    release(id) {
      const terminal = open.get(id)
      if (!terminal) return
      terminal.kill()
      open.delete(id)
      released.set(id, terminal)
      const [oldest] = released.keys()
      if (released.size > mostReleased && oldest !== undefined) released.delete(oldest)
    },
    output: (id) => (open.get(id) ?? released.get(id))?.output(),
    follow: (id, onText) =>
      (open.get(id) ?? released.get(id))?.follow((text, gap) => {
        onText(text, gap)
        publish()
      }),
    killNew() {
      for (const terminal of ofPrompt) terminal.kill()
    },
    nextPrompt: () => ofPrompt.clear(),
  }
}
