import type { Block } from '../../../src/events/index.ts'
import { fieldsOf } from '../../../src/shared/fields.ts'
import { BlobImage } from '../parts/blob-image.tsx'
import { textIn } from './fields.ts'

/** Image types that cannot contain scripts. */
const safeTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

/** The images in some blocks: inline, or loaded from where they are stored as blobs. */
export const ImagesView = ({ content }: { content: readonly Block[] }) => {
  const images = content.filter(
    (block) => block.type === 'image' && safeTypes.has(textIn(block, 'mimeType') ?? ''),
  )
  if (images.length === 0) return null
  return (
    <div className="images">
      {images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: images of a message do not move.
        <ImageView key={index} image={image} label={`${index + 1} of ${images.length}`} />
      ))}
    </div>
  )
}

const ImageView = ({ image, label }: { image: Block; label: string }) => {
  const hash = textIn(fieldsOf(image).blob, 'hash')
  if (hash !== undefined) return <BlobImage hash={hash} label={label} />
  const source = `data:${textIn(image, 'mimeType')};base64,${textIn(image, 'data') ?? ''}`
  return <img src={source} alt={label} />
}
