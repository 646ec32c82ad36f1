import { textWithFiles } from '../attached-files.ts'
import { connectLines, type LineProtocol } from '../line-protocol.ts'
import type { Command, Live } from '../live.ts'
import { shippedFile } from '../shipped-file.ts'
import { createDemoDecoder } from './decode.ts'

/** The demo while it runs. */
export const demoLive: Live = {
  queue: 'agent',
  args: ({ model, resume, extra = [] }) => [
    shippedFile('demo/program.js'),
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extra,
  ],
  connect: (options) => connectLines(demoProtocol, options),
}

/** The demo reads commands as they are, one JSON object per line. */
export const demoProtocol: LineProtocol = {
  createDecoder: createDemoDecoder,
  repliesTo: (type) => type !== 'answer',
  encode: (command) => [command.type === 'answer' ? answerLine(command) : withoutFiles(command)],
}

/** The demo reads only text. */
const withoutFiles = (command: Exclude<Command, { type: 'answer' }>) => {
  if (!('files' in command)) return command
  const { files: _, ...message } = command
  return { ...message, text: textWithFiles(command) }
}

/** The demo remembers its own requests: the id is enough. */
const answerLine = ({ id, request, answer }: Extract<Command, { type: 'answer' }>) => ({
  type: 'answer',
  id,
  approvalId: request.approvalId,
  ...answer,
})
