import type { AgentSwitch } from '../../events/types.ts'
import type { ChatBackend } from './chat-backend.ts'
import type { CommandGroup } from './command-group.ts'
import { drawLine } from './drawn-text.ts'
import { resultMessage } from './result-message.ts'
import type { Screen } from './screen.ts'

export interface SwitchCommandsOptions {
  backend: Pick<ChatBackend, 'choices' | 'setSwitch'>
  screen: Screen
}

const about: Record<AgentSwitch, string> = {
  autoCompaction: 'Summarizes the conversation when it gets long.',
  autoRetry: 'Calls the model again after an error.',
}

/** `/switch`: what the agent does by itself. */
export const createSwitchCommands = ({ backend, screen }: SwitchCommandsOptions): CommandGroup => {
  const { title, switches } = backend.choices
  const states = new Map<AgentSwitch, boolean>()

  const list = (): void => {
    screen.notice('What the agent does by itself:')
    for (const name of switches) {
      const isOn = states.get(name)
      const state = isOn === undefined ? '' : isOn ? ' (on)' : ' (off)'
      screen.line(`  ${name}${state}  ${about[name]}`)
    }
    const agent = drawLine(title, screen.style)
    screen.hint(
      `  /switch ${switches[0]} off switches one off. ${agent} stores that for all its sessions.`,
    )
  }

  const set = async (typed: string): Promise<void> => {
    const [given = '', state] = typed.split(/\s+/)
    const name = switches.find((each) => each.toLowerCase() === given.toLowerCase())
    if (name === undefined || (state !== 'on' && state !== 'off'))
      return screen.error(`Type /switch, one of ${switches.join(', ')}, and on or off.`)
    const result = await backend.setSwitch(name, state === 'on')
    if (result.outcome !== 'accepted')
      return screen.error(drawLine(resultMessage(result), screen.style))
    states.set(name, state === 'on')
    screen.notice(`${name}: ${state}`)
  }

  return {
    async run(line) {
      const [isSwitch, typed = ''] = /^\/switch(?:\s+(.*))?$/.exec(line.trim()) ?? []
      if (isSwitch === undefined) return false
      if (switches.length === 0)
        screen.error(`${drawLine(title, screen.style)} has nothing to switch on or off.`)
      else if (typed === '') list()
      else await set(typed)
      return true
    },
    follow(event) {
      if (event.type !== 'session_start' && event.type !== 'session_update') return
      for (const name of switches) {
        const isOn = event[name]
        if (isOn !== undefined) states.set(name, isOn)
      }
    },
    words: () =>
      switches.length === 0
        ? []
        : ['/switch', ...switches.flatMap((name) => [`/switch ${name} on`, `/switch ${name} off`])],
    help: () =>
      switches.length === 0
        ? []
        : [['/switch NAME off', `switches off ${switches.join(' or ')}; /switch lists them`]],
  }
}
