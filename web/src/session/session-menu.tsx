import { useApp } from '../app/context.ts'
import { Menu, type MenuItem } from '../parts/menu.tsx'
import { saveFile } from '../parts/save-file.ts'

interface Props {
  id: string
  name: string
  onRename: () => void
  onModel: () => void
  onPast: () => void
}

/** What else can be done with a session. */
export const SessionMenu = ({ id, name, onRename, onModel, onPast }: Props) => {
  const { client, toasts, routes } = useApp()
  const save = (format: 'jsonl' | 'markdown', ending: string) => () => {
    client.sessions
      .export(id, format)
      .then((blob) => saveFile(blob, `${fileName(name)}.${ending}`))
      .catch(toasts.showError('The session could not be exported'))
  }
  const restore = () => {
    client.sessions
      .update(id, { removed: false })
      .catch(toasts.showError('The session could not be taken back'))
  }
  const remove = () => {
    client.sessions.remove(id).then(() => {
      routes.go('/')
      toasts.show(`“${name}” was deleted.`, { undo: restore })
    }, toasts.showError('The session could not be deleted'))
  }
  const compact = () => {
    client.sessions.compact(id).catch(toasts.showError('The context could not be compacted'))
  }
  const items: readonly MenuItem[] = [
    { label: 'Look at the past…', run: onPast },
    { label: 'Compact the context', run: compact },
    { label: 'Model and thinking…', run: onModel },
    { label: 'Rename…', run: onRename },
    { label: 'Export as Markdown', run: save('markdown', 'md') },
    { label: 'Export events (JSON lines)', run: save('jsonl', 'jsonl') },
    { label: 'Delete', run: remove, isDangerous: true },
  ]
  return <Menu label="More" items={items} />
}

const fileName = (name: string): string => name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)
