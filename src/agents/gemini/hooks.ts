import { defined, stringOf } from '../../shared/fields.ts'
import { hookGroup, runIn } from '../hook-form.ts'
import type { AgentHooks } from '../hooks.ts'

/** The hooks of Gemini CLI. They can deny a call, but not allow one, so they only report. */
export const geminiHooks: AgentHooks = {
  ability: 'report',
  waits: { print: 0 },
  limits: [
    'Gemini CLI asks in the terminal only: its hooks can deny a call, but not allow one in place of a person. Sluice shows that it waits.',
  ],
  settings: {
    user: {
      variable: 'GEMINI_CLI_HOME',
      below: '.gemini/settings.json',
      home: '.gemini/settings.json',
    },
    types: ['command'],
    entries(command) {
      const group = hookGroup(command, { name: 'sluice', timeout: 5000 }) // milliseconds
      return {
        SessionStart: group,
        BeforeAgent: group,
        AfterAgent: group,
        Notification: group,
        SessionEnd: group,
      }
    },
  },
  read(input) {
    const run = runIn(input)
    if (!run) return undefined
    switch (input.hook_event_name) {
      case 'SessionStart':
        return { ...run, type: 'started', ...defined({ source: stringOf(input.source) }) }
      case 'BeforeAgent':
        return { ...run, type: 'prompted' }
      case 'AfterAgent':
        return { ...run, type: 'stopped' }
      case 'Notification':
        return {
          ...{ ...run, type: 'waiting' },
          ...defined({ reason: stringOf(input.notification_type) }),
        }
      case 'SessionEnd':
        return { ...run, type: 'ended', ...defined({ reason: stringOf(input.reason) }) }
      default:
        return undefined
    }
  },
}
