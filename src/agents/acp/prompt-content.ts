import { type Fields, fieldsOf } from '../../shared/fields.ts'
import { fileAsText, fileText, isTextFile } from '../attached-files.ts'
import type { PromptFile, PromptImage } from '../live.ts'

interface Prompt {
  text: string
  images?: readonly PromptImage[]
  files?: readonly PromptFile[]
}

/** A prompt as blocks of the protocol, or which part of it the agent cannot take. */
export const promptContent = (
  { text, images = [], files = [] }: Prompt,
  { promptCapabilities }: Fields,
): object[] | 'images' | 'PDF files' => {
  const { image, embeddedContext } = fieldsOf(promptCapabilities)
  const isEmbedding = embeddedContext === true
  if (images.length > 0 && image !== true) return 'images'
  if (!isEmbedding && !files.every(isTextFile)) return 'PDF files'
  return [
    { type: 'text', text },
    ...images.map((each) => ({ type: 'image', ...each })),
    ...files.map((file) =>
      isEmbedding ? resourceOf(file) : { type: 'text', text: fileAsText(file) },
    ),
  ]
}

/** The agent must not look for the file on disk, so its address is no path. */
const resourceOf = (file: PromptFile): object => ({
  type: 'resource',
  resource: {
    uri: `attachment:///${encodeURIComponent(file.name)}`,
    mimeType: file.mimeType,
    ...(isTextFile(file) ? { text: fileText(file) } : { blob: file.data }),
  },
})
