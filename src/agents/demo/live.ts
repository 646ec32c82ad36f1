import type { Command, Live } from '../live.ts'
import { shippedFile } from '../shipped-file.ts'

/** The demo reads commands as they are, one JSON object per line. */
export const demoLive: Live = {
  queue: 'agent',
  args: ({ model, resume, extra = [] }) => [
    shippedFile('demo/program.js'),
    ...(model === undefined ? [] : ['--model', model]),
    ...(resume === undefined ? [] : ['--resume', resume]),
    ...extra,
  ],
  opening: () => [],
  encode: (command) => [command.type === 'answer' ? answerLine(command) : command],
}

/** The demo remembers its own requests: the id is enough. */
const answerLine = ({ id, request, answer }: Extract<Command, { type: 'answer' }>) => ({
  type: 'answer',
  id,
  approvalId: request.approvalId,
  ...answer,
})
