import { useApp } from '../app/use-app.ts'
import { hasChangedWorktree } from '../compare/has-changed-worktree.ts'
import { downloadFile } from '../parts/download-file.ts'
import { Menu, type MenuItem } from '../parts/menu.tsx'
import { sessionPath } from '../state/route.ts'
import type { SessionDialog } from './session-dialogs.tsx'
import type { SessionChoices } from './use-session-choices.ts'

interface Props {
  id: string
  name: string
  isPinned: boolean
  /** Whether the session takes no messages, because it is read-only. */
  isReadOnly: boolean
  onRename: () => void
  choices: SessionChoices
  onDialog: (dialog: SessionDialog) => void
  onReplay: () => void
}

/** The menu of a session. */
export const SessionMenu = (props: Props) => {
  const { id, name, isPinned, isReadOnly, choices, onRename, onReplay, onDialog } = props
  const { client, toasts, routes, overview } = useApp()
  const exportAs = (format: 'jsonl' | 'markdown', extension: string) => () => {
    client.sessions
      .export(id, format)
      .then((blob) => downloadFile(blob, `${fileName(name)}.${extension}`))
      .catch(toasts.showError('Could not export the session'))
  }
  const restore = () => {
    client.sessions
      .update(id, { removed: false })
      .catch(toasts.showError('Could not restore the session'))
  }
  const remove = async () => {
    // What is not committed in its worktree would be lost, or left behind.
    if (await hasChangedWorktree(client, overview.get().sessions, id)) return onDialog('remove')
    await client.sessions.remove(id)
    routes.go('/')
    toasts.show(`Deleted “${name}”.`, { undo: restore })
  }
  const compact = () => {
    client.sessions.compact(id).catch(toasts.showError('Could not compact the context'))
  }
  const stopShell = () => {
    client.sessions.stopShell(id).catch(toasts.showError('Could not stop the shell command'))
  }
  const fork = () => {
    client.sessions
      .fork(id)
      .then(
        (session) => routes.go(sessionPath(session.id)),
        toasts.showError('Could not fork the session'),
      )
  }
  const togglePin = () => {
    client.sessions
      .update(id, { pinned: !isPinned })
      .catch(toasts.showError(`Could not ${isPinned ? 'unpin' : 'pin'} the session`))
  }
  const items: readonly MenuItem[] = [
    { label: 'Replay session…', run: onReplay },
    ...(choices.canCompact
      ? [{ label: 'Compact context', run: compact, isDisabled: isReadOnly }]
      : []),
    ...agentItems(props, stopShell),
    ...(choices.canFork ? [{ label: 'Fork (continue a copy)', run: fork }] : []),
    { label: 'Rename…', run: onRename },
    { label: isPinned ? 'Unpin' : 'Pin (never delete by age or size)', run: togglePin },
    { label: 'Export as Markdown', run: exportAs('markdown', 'md') },
    { label: 'Export events (JSONL)', run: exportAs('jsonl', 'jsonl') },
    {
      label: 'Delete',
      run: () => void remove().catch(toasts.showError('Could not delete the session')),
      isDangerous: true,
    },
  ]
  return <Menu label="More" items={items} />
}

/** What changes how the agent works, as far as it has it. */
const agentItems = (
  { choices, isReadOnly, onDialog }: Props,
  stopShell: () => void,
): MenuItem[] => {
  const { canChangeModel, levels, modes, mayChangeMode, switches, hasShell } = choices
  const hasLevels = levels.length > 0
  const item = (label: string, dialog: SessionDialog): MenuItem => ({
    label,
    run: () => onDialog(dialog),
    isDisabled: isReadOnly,
  })
  return [
    ...(canChangeModel || hasLevels
      ? [item(hasLevels ? 'Model and thinking level…' : 'Model…', 'model')]
      : []),
    ...(modes.length > 0 && mayChangeMode ? [item('Permission mode…', 'mode')] : []),
    ...(switches.length > 0 ? [item('Automatic actions…', 'switches')] : []),
    ...(hasShell ? [item('Run a shell command…', 'shell')] : []),
    ...(choices.isShellRunning ? [{ label: 'Stop the shell command', run: stopShell }] : []),
  ]
}

const fileName = (name: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)
