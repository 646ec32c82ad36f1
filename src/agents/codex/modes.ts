import type { ModeChoice } from '../../events/types.ts'
import { type Fields, fieldsOf, ownValue, stringOf } from '../../shared/fields.ts'

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

/** How a mode is expressed: what Codex asks about, and what its sandbox allows. */
export interface ModeSettings {
  approvalPolicy: 'untrusted' | 'on-request' | 'never'
  sandbox: 'read-only' | 'workspace-write' | 'danger-full-access'
}

const settings: Readonly<Record<string, ModeSettings>> = {
  'read-only': { approvalPolicy: 'on-request', sandbox: 'read-only' },
  untrusted: { approvalPolicy: 'untrusted', sandbox: 'workspace-write' },
  auto: { approvalPolicy: 'on-request', sandbox: 'workspace-write' },
  'full-access': { approvalPolicy: 'never', sandbox: 'danger-full-access' },
}

/** The settings of a mode; undefined if there is no such mode. */
export const modeSettings = (mode: string): ModeSettings | undefined => ownValue(settings, mode)

/** The mode that reported settings are; undefined if they are none of the modes. */
export const modeOf = (fields: Fields): string | undefined => {
  const policy = stringOf(fields.approvalPolicy)
  const sandbox = stringOf(fieldsOf(fields.sandbox ?? fields.sandboxPolicy).type)
  if (policy === undefined || sandbox === undefined) return undefined
  const dashed = sandbox.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const found = Object.entries(settings).find(
    ([, mode]) => mode.approvalPolicy === policy && mode.sandbox === dashed,
  )
  return found?.[0] ?? `${policy}, ${dashed}`
}
