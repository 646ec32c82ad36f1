import { stringOf } from '../../shared/fields.ts'
import { hookGroup, reportIn } from '../hook-form.ts'
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
  read: (input) => {
    const name = claudeNames[stringOf(input.hook_event_name) ?? '']
    return name === undefined ? undefined : reportIn({ ...input, hook_event_name: name })
  },
}

/** What Claude Code calls the hooks of Gemini CLI that report the same. */
const claudeNames: Readonly<Record<string, string>> = {
  ...{ SessionStart: 'SessionStart', BeforeAgent: 'UserPromptSubmit', AfterAgent: 'Stop' },
  ...{ Notification: 'Notification', SessionEnd: 'SessionEnd' },
}
