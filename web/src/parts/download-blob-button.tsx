import type { BlobRef } from '../../../src/events/types.ts'
import { useApp } from '../app/use-app.ts'
import { downloadFile } from './download-file.ts'
import { formatBytes } from './format.ts'

interface Props {
  blob: BlobRef
  /** The name of the file. */
  name: string
}

/** Downloads a text of which only a part is shown. */
export const DownloadBlobButton = ({ blob, name }: Props) => {
  const { client, toasts } = useApp()
  const download = () => {
    client.blobs
      .get(blob.hash)
      .then((bytes) => downloadFile(bytes, name))
      .catch(toasts.showError('Could not download the file'))
  }
  return (
    <button type="button" className="quiet-button" onClick={download}>
      Download all ({formatBytes(blob.size)})
    </button>
  )
}
