import { bytesOfBase64 } from '../shared/file-type.ts'
import type { PromptFile } from './live.ts'

/** A message as an agent gets it that takes nothing but text: the files follow the text. */
export const textWithFiles = ({
  text,
  files = [],
}: {
  text: string
  files?: readonly PromptFile[]
}): string => [text, ...files.filter(isTextFile).map(fileAsText)].join('\n\n')

/** A text file with its name, in the form that Pi uses for files on its command line. */
export const fileAsText = (file: PromptFile): string =>
  `<file name="${attribute(file.name)}">\n${fileText(file)}\n</file>`

/** The text of a text file. */
export const fileText = ({ data }: PromptFile): string =>
  new TextDecoder().decode(bytesOfBase64(data) ?? new Uint8Array())

export const isTextFile = ({ mimeType }: PromptFile): boolean => mimeType === 'text/plain'

/** A name must not end the tag that it stands in. */
const attribute = (name: string): string => name.replaceAll(/["<>]/g, '_')
