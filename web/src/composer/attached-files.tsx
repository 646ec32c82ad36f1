import { formatBytes } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import type { DraftFile } from '../state/drafts.ts'
import '../style/attached.css'

interface Props {
  files: readonly DraftFile[]
  onDetach: (index: number) => void
}

/** Files that are sent with the next message. */
export const AttachedFiles = ({ files, onDetach }: Props) => {
  if (files.length === 0) return null
  return (
    <ul className="attached-files" aria-label="Attached files">
      {files.map(({ name, size }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be attached twice.
        <li key={index}>
          <Icon name="file" />
          <bdi className="file-name">{name}</bdi>
          <span className="queue-about">{formatBytes(size)}</span>
          <button type="button" aria-label={`Remove ${name}`} onClick={() => onDetach(index)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}
