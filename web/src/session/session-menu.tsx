import { useApp } from '../app/use-app.ts'
import { downloadFile } from '../parts/download-file.ts'
import { Menu, type MenuItem } from '../parts/menu.tsx'

interface Props {
  id: string
  name: string
  isPinned: boolean
  /** Whether the session takes no messages, because it was imported. */
  isReadOnly: boolean
  onRename: () => void
  onModel: () => void
  onReplay: () => void
}

/** The menu of a session. */
export const SessionMenu = (props: Props) => {
  const { id, name, isPinned, isReadOnly, onRename, onModel, onReplay } = props
  const { client, toasts, routes } = useApp()
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
  const remove = () => {
    client.sessions.remove(id).then(() => {
      routes.go('/')
      toasts.show(`Deleted “${name}”.`, { undo: restore })
    }, toasts.showError('Could not delete the session'))
  }
  const compact = () => {
    client.sessions.compact(id).catch(toasts.showError('Could not compact the context'))
  }
  const togglePin = () => {
    client.sessions
      .update(id, { pinned: !isPinned })
      .catch(toasts.showError(`Could not ${isPinned ? 'unpin' : 'pin'} the session`))
  }
  const items: readonly MenuItem[] = [
    { label: 'Replay session…', run: onReplay },
    { label: 'Compact context', run: compact, isDisabled: isReadOnly },
    { label: 'Model and thinking level…', run: onModel, isDisabled: isReadOnly },
    { label: 'Rename…', run: onRename },
    { label: isPinned ? 'Unpin' : 'Pin (never delete by age or size)', run: togglePin },
    { label: 'Export as Markdown', run: exportAs('markdown', 'md') },
    { label: 'Export events (JSONL)', run: exportAs('jsonl', 'jsonl') },
    { label: 'Delete', run: remove, isDangerous: true },
  ]
  return <Menu label="More" items={items} />
}

const fileName = (name: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)
