import type { ModeChoice } from '../events/types.ts'

/** The permission modes of Gemini CLI and of Qwen Code, which began as a copy of it. */
export const approvalModes = {
  ask: {
    id: 'default',
    label: 'Ask',
    description: 'Requests an approval for commands and for edits.',
  },
  plan: { id: 'plan', label: 'Plan', description: 'Reads and plans, and changes nothing.' },
  everything: {
    id: 'yolo',
    label: 'Everything',
    description: 'Runs everything without approval.',
  },
} as const satisfies Record<string, ModeChoice>

/** The mode that edits files without approval. Each agent has its own name for it. */
export const editMode = (id: string): ModeChoice => ({
  id,
  label: 'Edit',
  description: 'Edits files without approval.',
})
