import { fieldsOf } from '../../shared/fields.ts'
import { askingGroup, plainDecision, plainMessage, reportingGroup } from '../hook-form.ts'
import type { AgentHooks } from '../hooks.ts'

/** The hooks of Codex, in the form of Claude Code’s. It runs them only once a person trusts them. */
export const codexHooks: AgentHooks = {
  ability: 'ask',
  waits: { terminal: 30, print: 30 },
  limits: [
    'Codex runs a hook only after a person has trusted it: at its next start, the terminal says “Hooks need review”. Until then nothing appears here. A hook that has changed must be trusted again.',
    'Codex shows its own prompt only when the hook is done. So a question waits here for 30 seconds, and then in the terminal.',
    'An answer can allow or deny. It cannot change the call, or allow later ones.',
  ],
  settings: {
    user: { variable: 'CODEX_HOME', below: 'hooks.json', home: '.codex/hooks.json' },
    types: ['command'],
    entries(command) {
      const report = reportingGroup(command, {})
      return {
        PermissionRequest: askingGroup(command, {}),
        PreToolUse: report,
        PostToolUse: report,
        UserPromptSubmit: report,
        Stop: report,
        SessionStart: report,
      }
    },
  },
  read(input) {
    const message = plainMessage(input)
    if (message?.type !== 'request') return message
    // Only a request has the reason among the arguments of the call.
    const { description: _, ...args } = fieldsOf(message.call.args)
    return {
      ...message,
      call: { ...message.call, args },
      request: { ...message.request, args },
    }
  },
  answer: (_, reply) => plainDecision(reply),
  resultOf(line, callId) {
    const { type, call_id: id } = fieldsOf(line.payload)
    return type === 'function_call_output' && id === callId ? 'ran' : undefined
  },
}
