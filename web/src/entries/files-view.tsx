import { blobIn } from '../../../src/events/blob-preview.ts'
import type { Block } from '../../../src/events/index.ts'
import { stringIn } from '../../../src/shared/fields.ts'
import { bytesOfBase64 } from '../../../src/shared/file-type.ts'
import { useApp } from '../app/use-app.ts'
import { downloadFile } from '../parts/download-file.ts'
import { formatBytes } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Revealed } from '../parts/revealed.tsx'
import '../style/attached.css'

/** The files that a person sent with a message. Each can be downloaded. */
export const FilesView = ({ content }: { content: readonly Block[] }) => {
  const files = content.filter(({ type }) => type === 'attachedFile')
  if (files.length === 0) return null
  return (
    <ul className="attached-files" aria-label="Files">
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: files of a message do not move.
        <li key={index}>
          <FileButton file={file} />
        </li>
      ))}
    </ul>
  )
}

const FileButton = ({ file }: { file: Block }) => {
  const { client, toasts } = useApp()
  const name = stringIn(file, 'name') ?? 'file'
  const blob = blobIn(file)
  const bytes = blob ? undefined : bytesOfBase64(stringIn(file, 'data') ?? '')
  const size = blob?.size ?? bytes?.length ?? 0
  const download = () => {
    // Never with the type that a file claims: nothing in it may run in this page.
    const found = blob ? client.blobs.get(blob.hash) : Promise.resolve(new Blob(bytes && [bytes]))
    found
      .then((part) => downloadFile(part, name))
      .catch(toasts.showError('Could not download the file'))
  }
  return (
    <button type="button" className="quiet-button" title="Download" onClick={download}>
      <Icon name="file" />
      <span className="file-name">
        <Revealed text={name} />
      </span>
      <span className="queue-about">{formatBytes(size)}</span>
    </button>
  )
}
