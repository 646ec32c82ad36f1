import type { ModeChoice, StampedEvent } from '../../events/types.ts'
import type { AgentChoices } from './agent-choices.ts'
import type { ChatBackend } from './chat-backend.ts'
import type { CommandGroup, HelpRow } from './command-group.ts'
import { drawLine } from './drawn-text.ts'
import { resultMessage } from './result-message.ts'
import type { Screen } from './screen.ts'

export interface AgentCommandsOptions {
  backend: Pick<ChatBackend, 'choices' | 'setMode' | 'setThinking' | 'runShell' | 'stopShell'>
  screen: Screen
}

/** `/mode`, `/thinking` and `!command`: what a person does with the agent besides messages. */
export interface AgentCommands extends CommandGroup {
  /** Follows what the agent reports about its modes and levels, and which commands run. */
  follow(event: StampedEvent): void
  /** What to show about the agent when the chat starts. */
  summary(): string[]
  /** Stops the shell commands that run; false if none does. */
  stopShells(): boolean
}

export const createAgentCommands = ({ backend, screen }: AgentCommandsOptions): AgentCommands => {
  let now: AgentChoices = backend.choices
  const shells = createOpenShells()
  const draw = (text: string): string => drawLine(text, screen.style)

  const list = (what: string, current: string | undefined, items: readonly ModeChoice[]): void => {
    screen.notice(`${what}: ${draw(current ?? 'the default of the agent')}`)
    for (const { id, description } of items)
      screen.line(`  ${draw(description === undefined ? id : `${id}  ${description}`)}`)
  }

  const setMode = async (mode: string): Promise<void> => {
    if (now.modes.length === 0) return screen.error(`${draw(now.title)} has no permission modes.`)
    if (mode === '') return list('Permission mode', now.mode, now.modes)
    const result = await backend.setMode(mode)
    if (result.outcome !== 'accepted') return screen.error(draw(resultMessage(result)))
    now = { ...now, mode }
    screen.notice(`Permission mode: ${draw(mode)}`)
  }

  const setThinking = async (level: string): Promise<void> => {
    if (now.levels.length === 0) return screen.error(`${draw(now.title)} has no thinking levels.`)
    if (level === '') {
      const levels = now.levels.map((id) => ({ id }))
      return list('Thinking level', now.level, levels)
    }
    const result = await backend.setThinking(level)
    if (result.outcome !== 'accepted') return screen.error(draw(resultMessage(result)))
    now = { ...now, level }
    screen.notice(`Thinking level: ${draw(level)}`)
  }

  const runShell = async (command: string): Promise<void> => {
    if (!now.hasShell)
      return screen.error(`${draw(now.title)} does not run shell commands for you.`)
    const result = await backend.runShell(command)
    if (result.outcome !== 'accepted') return screen.error(draw(resultMessage(result)))
    await shells.ended()
  }

  return {
    async run(line) {
      const [, name, value = ''] = /^\/(mode|thinking)(?:\s+(\S+))?$/.exec(line) ?? []
      if (name === 'mode') await setMode(value)
      else if (name === 'thinking') await setThinking(value)
      else if (/^!\s*\S/.test(line)) await runShell(line.slice(1).trim())
      else return false
      return true
    },
    follow(event) {
      shells.follow(event)
      now = changed(now, event)
    },
    words: () => [
      ...(now.modes.length > 0 ? ['/mode'] : []),
      ...now.modes.map(({ id }) => `/mode ${id}`),
      ...(now.levels.length > 0 ? ['/thinking'] : []),
      ...now.levels.map((level) => `/thinking ${level}`),
    ],
    help: () => helpFor(now),
    summary: () => (now.mode === undefined ? [] : [`mode ${draw(now.mode)}`]),
    stopShells() {
      if (!shells.areOpen()) return false
      void backend.stopShell()
      return true
    },
  }
}

const helpFor = ({ modes, levels, hasShell, canSteer }: AgentChoices): HelpRow[] => [
  [
    'Enter',
    canSteer ? 'sends a message, also into a run' : 'sends a message, or queues it in a run',
  ],
  ...(canSteer ? [['Alt-Enter', 'queues a message for the end of the run'] as const] : []),
  ['\\ Enter', 'begins a new line'],
  ['Ctrl-C', 'stops the run, then leaves'],
  ...(modes.length > 0 ? [['/mode MODE', 'shows or changes the permission mode'] as const] : []),
  ...(levels.length > 0
    ? [['/thinking LEVEL', 'shows or changes the thinking level'] as const]
    : []),
  ...(hasShell ? [['!COMMAND', 'runs a shell command through the agent'] as const] : []),
]

/** The choices after an event. */
const changed = (before: AgentChoices, event: StampedEvent): AgentChoices => {
  if (event.type !== 'session_start' && event.type !== 'session_update') return before
  const { permissionMode, modes, thinkingLevel, thinkingLevels } = event
  return {
    ...before,
    mode: permissionMode ?? before.mode,
    modes: modes ?? before.modes,
    level: thinkingLevel ?? before.level,
    levels: thinkingLevels ?? before.levels,
  }
}

/** The shell commands that run, by the events of the session. */
const createOpenShells = () => {
  const open = new Set<string>()
  let waiting: (() => void)[] = []
  return {
    follow(event: StampedEvent): void {
      if (event.type !== 'session_update' || !event.shell) return
      const { id, command, exitCode, cancelled } = event.shell
      if (command !== undefined) open.add(id)
      if (exitCode === undefined && cancelled === undefined) return
      open.delete(id)
      if (open.size > 0) return
      for (const wake of waiting) wake()
      waiting = []
    },
    areOpen: (): boolean => open.size > 0,
    /** Resolves when no command runs. */
    ended: (): Promise<void> =>
      open.size === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve)
          }),
  }
}
