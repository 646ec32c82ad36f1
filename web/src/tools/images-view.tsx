import type { Block } from '../../../src/events/index.ts'
import { BlobImage } from '../parts/blob-image.tsx'
import { fieldsOf, textIn } from './fields.ts'

/** Kinds of images that a page shows without running anything. */
const shown = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])

/** The images in some blocks: as they are, or fetched where they are kept apart. */
export const ImagesView = ({ content }: { content: readonly Block[] }) => {
  const images = content.filter(
    (block) => block.type === 'image' && shown.has(textIn(block, 'mimeType') ?? ''),
  )
  if (images.length === 0) return null
  return (
    <div className="images">
      {images.map((image, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: images of a message do not move.
        <OneImage key={index} image={image} label={`${index + 1} of ${images.length}`} />
      ))}
    </div>
  )
}

const OneImage = ({ image, label }: { image: Block; label: string }) => {
  const hash = textIn(fieldsOf(image).blob, 'hash')
  if (hash !== undefined) return <BlobImage hash={hash} label={label} />
  const source = `data:${textIn(image, 'mimeType')};base64,${textIn(image, 'data') ?? ''}`
  return <img src={source} alt={label} />
}
