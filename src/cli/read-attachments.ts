import { homedir } from 'node:os'
import { basename, resolve } from 'node:path'
import type { Agent } from '../agents/agent.ts'
import { textWithFiles } from '../agents/attached-files.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { checkAttachments } from '../session/conversation/attachments.ts'
import type { Attachments } from '../session/conversation/queue.ts'
import type { FileToAttach } from '../session/conversation/session.ts'
import { Fault } from '../shared/fault.ts'
import { resultMessage } from './chat/result-message.ts'
import { plainLine } from './clean-text.ts'

/** No agent takes a larger file. What it is, and whether the agent takes it, is checked later. */
const maxBytes = 10_000_000

/** Reads files to send with a message. Throws a `Fault` that names the first one that cannot be read. */
export const readAttachments = (paths: readonly string[] = []): Promise<FileToAttach[]> =>
  Promise.all(
    paths.map(async (path) => {
      const file = await readRegularFile(resolve(path.replace(/^~(?=\/)/, homedir())), maxBytes)
      if (typeof file === 'string')
        throw new Fault('usage', `${plainLine(path)} cannot be sent: ${reasons[file]}.`)
      return { name: basename(path), data: file.bytes.toString('base64') }
    }),
  )

const reasons = {
  missing: 'there is no such file',
  not_a_file: 'it is not a regular file',
  too_large: 'it is larger than 10 MB',
  unreadable: 'it is not readable',
} as const

/** Files as an agent takes them. Throws a `Fault` if it does not. */
export const attachmentsFor = (agent: Agent, files: FileToAttach[]): Attachments => {
  const checked = checkAttachments(agent, { files })
  if ('attachments' in checked) return checked.attachments
  throw new Fault('usage', resultMessage(checked.refusal))
}

/** Linux limits one argument of a program to 128 KiB. */
const longestArgument = 120_000

/** The prompt of a run without a session, which is one argument: text files become a part of it. */
export const promptWithFiles = (agent: Agent, text: string, files: FileToAttach[]): string => {
  if (files.length === 0) return text
  const { images = [], files: others = [] } = attachmentsFor(agent, files)
  if (images.length > 0 || others.some(({ mimeType }) => mimeType !== 'text/plain'))
    throw needsSession('Images and PDF files need')
  const prompt = textWithFiles({ text, files: others })
  if (Buffer.byteLength(prompt) > longestArgument) throw needsSession('Files of this size need')
  return prompt
}

const needsSession = (what: string): Fault =>
  new Fault(
    'usage',
    `${what} a session. Start a server with \`sluice serve\`, or send them in \`sluice chat\` with --file.`,
  )
