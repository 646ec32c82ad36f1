import type { ModeChoice } from '../../events/types.ts'

/** The permission modes of Codex: each is an approval policy and a sandbox. */
export const codexModes: readonly ModeChoice[] = [
  {
    id: 'read-only',
    label: 'Read only',
    description: 'Codex reads files. It asks before it changes files or runs other commands.',
  },
  {
    id: 'untrusted',
    label: 'Ask first',
    description: 'Codex asks before it runs a command that is not known to be safe.',
  },
  {
    id: 'auto',
    label: 'Auto',
    description: 'Codex works in the project, and asks before it goes beyond it.',
  },
  {
    id: 'full-access',
    label: 'Full access',
    description: 'Codex runs everything without a sandbox and without asking.',
  },
]
