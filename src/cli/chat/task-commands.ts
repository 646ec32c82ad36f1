import type { StampedEvent } from '../../events/types.ts'
import type { ChatBackend } from './chat-backend.ts'
import type { CommandGroup } from './command-group.ts'
import { drawLine } from './drawn-text.ts'
import { resultMessage } from './result-message.ts'
import type { Screen } from './screen.ts'

export interface TaskCommandsOptions {
  backend: Pick<ChatBackend, 'choices' | 'stopTask'>
  screen: Screen
}

/** `/tasks`: the subagents and commands that run, and how to stop one. */
export const createTaskCommands = ({ backend, screen }: TaskCommandsOptions): CommandGroup => {
  const { title, hasTasks } = backend.choices
  /** What runs, with the line that shows it. */
  const running = new Map<string, string>()

  const list = (): void => {
    screen.notice(running.size === 0 ? 'Nothing runs in the background.' : 'Running:')
    for (const [id, text] of running) screen.line(`  ${drawLine(`${id}  ${text}`, screen.style)}`)
    if (running.size > 0) screen.hint('  /tasks stop and an id stops one')
  }

  const stop = async (id: string): Promise<void> => {
    if (!running.has(id)) return screen.error('No such task runs. List them with /tasks.')
    const result = await backend.stopTask(id)
    if (result.outcome === 'accepted') screen.notice('Stopping it.')
    else screen.error(drawLine(resultMessage(result), screen.style))
  }

  const follow = (event: StampedEvent): void => {
    if (event.type !== 'session_update' || !event.task) return
    const { id, state, description, activity } = event.task
    const text = description ?? activity ?? running.get(id) ?? ''
    if (state === 'running') running.set(id, text)
    else running.delete(id)
  }

  return {
    async run(line) {
      const [isTasks, id] = /^\/tasks(?:\s+stop\s+(\S+))?$/.exec(line.trim()) ?? []
      if (isTasks === undefined) return false
      if (!hasTasks)
        screen.error(
          `${drawLine(title, screen.style)} has no tasks that can be listed and stopped.`,
        )
      else if (id === undefined) list()
      else await stop(id)
      return true
    },
    follow,
    words: () =>
      hasTasks ? ['/tasks', ...[...running.keys()].map((id) => `/tasks stop ${id}`)] : [],
    help: () =>
      hasTasks ? [['/tasks', 'lists what runs in the background; /tasks stop ID stops it']] : [],
  }
}
