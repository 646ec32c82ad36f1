import type { BlobRef } from '../../../src/events/types.ts'
import { useApp } from '../app/use-app.ts'
import { formatBytes } from './format.ts'
import { saveFile } from './save-file.ts'

interface Props {
  blob: BlobRef
  /** The name of the file. */
  name: string
}

/** Downloads a text of which only a part is shown. */
export const SaveBlobButton = ({ blob, name }: Props) => {
  const { client, toasts } = useApp()
  const save = () => {
    client.blobs
      .get(blob.hash)
      .then((bytes) => saveFile(bytes, name))
      .catch(toasts.showError('Could not download the file'))
  }
  return (
    <button type="button" className="quiet-button" onClick={save}>
      Download all ({formatBytes(blob.size)})
    </button>
  )
}
