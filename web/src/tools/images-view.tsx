import type { Block } from '../../../src/events/index.ts'
import { fieldsOf, stringIn } from '../../../src/shared/fields.ts'
import { BlobImage } from '../parts/blob-image.tsx'

/** Image types that cannot contain scripts. */
const safeTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

/** The images in some blocks: inline, or loaded from where they are stored as blobs. */
export const ImagesView = ({ content }: { content: readonly Block[] }) => {
  const images = content.filter(
    (block) => block.type === 'image' && safeTypes.has(stringIn(block, 'mimeType') ?? ''),
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
  const hash = stringIn(fieldsOf(image).blob, 'hash')
  if (hash !== undefined) return <BlobImage hash={hash} label={label} />
  const source = `data:${stringIn(image, 'mimeType')};base64,${stringIn(image, 'data') ?? ''}`
  return <img src={source} alt={label} />
}
