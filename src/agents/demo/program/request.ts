import { type Fields, fieldsOf, given, listOf, textOf } from '../../../shared/fields.ts'
import type { Answer, PromptImage } from '../../live.ts'
import type { Said } from './waiting.ts'

/** What a person said, as a command carries it; undefined when it has no text. */
export const saidOf = (line: Fields): Said | undefined => {
  const text = textOf(line.text)
  return text === undefined ? undefined : { text, images: listOf(line.images).flatMap(imageOf) }
}

/** An answer, as a command carries it; whatever is not clearly allowed is denied. */
export const answerOf = (line: Fields): Answer => ({
  action: line.action === 'allow' ? 'allow' : 'deny',
  ...given({ message: textOf(line.message), updatedInput: line.updatedInput }),
})

const imageOf = (value: unknown): PromptImage[] => {
  const { data, mimeType } = fieldsOf(value)
  return typeof data === 'string' && typeof mimeType === 'string' ? [{ data, mimeType }] : []
}
