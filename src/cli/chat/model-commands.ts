import type { ChatBackend } from './chat-backend.ts'
import type { CommandGroup } from './command-group.ts'
import { drawLine } from './drawn-text.ts'
import { resultMessage } from './result-message.ts'
import type { Screen } from './screen.ts'

export interface ModelCommandsOptions {
  backend: Pick<ChatBackend, 'choices' | 'models' | 'setModel' | 'compact'>
  screen: Screen
}

/** How many models a list shows. Some agents have hundreds. */
const shownModels = 40

/** `/model` and `/compact`. */
export const createModelCommands = ({ backend, screen }: ModelCommandsOptions): CommandGroup => {
  const { title, hasModels, canCompact } = backend.choices
  let { model } = backend.choices
  const draw = (text: string): string => drawLine(text, screen.style)

  const list = async (): Promise<void> => {
    const models = await backend.models()
    screen.notice(`Model: ${draw(model ?? 'the default of the agent')}`)
    for (const name of models.slice(0, shownModels)) screen.line(`  ${draw(name)}`)
    if (models.length > shownModels)
      screen.hint(`  and ${models.length - shownModels} more; /model NAME takes a part of a name`)
    if (models.length === 0) screen.hint('  The agent lists its models once it runs.')
  }

  const setModel = async (name: string): Promise<void> => {
    if (!hasModels) return screen.error(`${draw(title)} does not change its model in a session.`)
    if (name === '') return list()
    const result = await backend.setModel(name)
    if (result.outcome !== 'accepted') return screen.error(draw(resultMessage(result)))
    model = name
    screen.notice(`Model: ${draw(name)}`)
  }

  const compact = async (instructions: string): Promise<void> => {
    const result = await backend.compact(instructions === '' ? undefined : instructions)
    // What the agent itself refuses is an event.
    if (result.outcome === 'accepted' || result.outcome === 'refused') return
    screen.error(draw(resultMessage(result)))
  }

  return {
    async run(line) {
      const [, name, value = ''] = /^\/(model|compact)(?:\s+(.*))?$/s.exec(line.trim()) ?? []
      if (name === 'model') await setModel(value)
      // An agent without it may have a command of its own with this name.
      else if (name === 'compact' && canCompact) await compact(value)
      else return false
      return true
    },
    follow(event) {
      if (event.type === 'session_start' || event.type === 'session_update')
        model = event.model ?? model
    },
    words: () => [...(hasModels ? ['/model'] : []), ...(canCompact ? ['/compact'] : [])],
    help: () => [
      ...(hasModels ? [['/model NAME', 'shows or changes the model'] as const] : []),
      ...(canCompact
        ? [['/compact TEXT', 'summarizes the conversation; TEXT says what to keep'] as const]
        : []),
    ],
  }
}
