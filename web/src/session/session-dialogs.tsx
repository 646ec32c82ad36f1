import { RemoveSessionDialog } from '../compare/remove-session-dialog.tsx'
import { ModeDialog } from './mode-dialog.tsx'
import { ModelDialog } from './model-dialog.tsx'
import { ShellDialog } from './shell-dialog.tsx'
import { SwitchDialog } from './switch-dialog.tsx'
import type { SessionChoices } from './use-session-choices.ts'

/** A dialog that the header of a session opens. */
export type SessionDialog = 'model' | 'mode' | 'switches' | 'shell' | 'remove'

interface Props {
  id: string
  open: SessionDialog | undefined
  choices: SessionChoices
  onClose: () => void
}

/** The dialogs that change how the agent of a session works. */
export const SessionDialogs = ({ id, open, choices, onClose }: Props) => {
  const { agentTitle: agent, modes, mode, levels, switches } = choices
  switch (open) {
    case 'model':
      return <ModelDialog id={id} levels={levels} onClose={onClose} />
    case 'mode':
      return <ModeDialog id={id} modes={modes} mode={mode} onClose={onClose} />
    case 'switches':
      return <SwitchDialog id={id} agent={agent} switches={switches} onClose={onClose} />
    case 'shell':
      return <ShellDialog id={id} agent={agent} onClose={onClose} />
    case 'remove':
      return <RemoveSessionDialog id={id} onClose={onClose} />
    default:
      return null
  }
}
