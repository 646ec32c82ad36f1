import { plainMessage } from '../hook-form.ts'
import type { AgentHooks } from '../hooks.ts'

/**
 * Pi has no hooks: an extension of ours asks and reports, with the names of Claude Code’s hooks. Its
 * question races with a dialog in the terminal.
 */
export const piHooks: AgentHooks = {
  ability: 'ask',
  waits: { print: 30 },
  limits: [
    'Pi has no permission prompts of its own. With this extension, it asks in the terminal and here before each call of a tool, except for read, grep, find and ls. Without a server, it asks nobody.',
    'It asks in the terminal interface only: a run with -p, --mode json or --mode rpc is not asked about.',
    'A Pi that runs already loads the extension with /reload.',
  ],
  settings: {
    user: {
      variable: 'PI_CODING_AGENT_DIR',
      below: 'extensions/sluice.js',
      home: '.pi/agent/extensions/sluice.js',
    },
    module: 'pi/ask.js',
    source: (module, data) => `export default async (pi) => {
  // Without Sluice, nothing happens.
  const { default: ask } = await import(${JSON.stringify(module)}).catch(() => ({}))
  ask?.(pi, ${JSON.stringify(data)})
}
`,
  },
  read: plainMessage,
  answer: (_, { action, message, updatedInput }) => ({ action, message, updatedInput }),
}
