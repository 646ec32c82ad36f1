import { Icon } from '../parts/icon.tsx'
import type { DraftImage } from '../state/drafts.ts'

interface Props {
  images: readonly DraftImage[]
  onDetach: (index: number) => void
}

/** Images that are sent with the next message. */
export const AttachedImages = ({ images, onDetach }: Props) => {
  if (images.length === 0) return null
  return (
    <ul className="attached" aria-label="Attached images">
      {images.map(({ data, mimeType }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same image may be attached twice.
        <li key={index}>
          <img src={`data:${mimeType};base64,${data}`} alt={`Attachment ${index + 1}`} />
          <button
            type="button"
            aria-label={`Remove image ${index + 1}`}
            onClick={() => onDetach(index)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}
