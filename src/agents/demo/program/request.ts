import { defined, type Fields, fieldsOf, listOf, stringOf } from '../../../shared/fields.ts'
import type { ApprovalReply, PromptImage } from '../../live.ts'
import type { Said } from './waiting.ts'

/** What a person said, as a command carries it; undefined when it has no text. */
export const saidOf = (line: Fields): Said | undefined => {
  const text = stringOf(line.text)
  return text === undefined ? undefined : { text, images: listOf(line.images).flatMap(imageOf) }
}

/** An answer, as a command carries it; whatever is not clearly allowed is denied. */
export const answerOf = (line: Fields): ApprovalReply => ({
  action: line.action === 'allow' ? 'allow' : 'deny',
  ...defined({ message: stringOf(line.message), updatedInput: line.updatedInput }),
})

const imageOf = (value: unknown): PromptImage[] => {
  const { data, mimeType } = fieldsOf(value)
  return typeof data === 'string' && typeof mimeType === 'string' ? [{ data, mimeType }] : []
}
