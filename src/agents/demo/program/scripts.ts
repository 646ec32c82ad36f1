import type { InputMessage } from './message-queue.ts'
import type { CallResult, Step } from './script.ts'
import {
  approvedCommand,
  editFile,
  failingCommand,
  listCommand,
  longCommand,
  readFile,
  screenshot,
} from './scripted-calls.ts'
import { markdown } from './texts.ts'

/** A sentence about the result of the last call. */
const resultText = ([last]: readonly CallResult[]): string => {
  switch (last?.outcome) {
    case 'denied':
      return `It was denied (“${last.message}”), so it did not run.`
    case 'rewritten':
      return 'It was allowed with another input, and ran with that.'
    case 'failed':
      return 'It failed, as intended: see the exit code.'
    default:
      return 'It was allowed and is done.'
  }
}

const approval: readonly Step[] = [
  { text: 'A tool that needs your approval:', calls: [approvedCommand] },
  { text: resultText },
]

/** The scripts by keyword. The first keyword that a prompt contains chooses its script. */
const scripts: Record<string, (message: InputMessage) => readonly Step[]> = {
  replay: () => [
    { text: 'This is a recorded run of another agent, replayed in real time.' },
    'replay',
    { text: 'That was the recording.' },
  ],
  retry: () => [
    {
      text: 'This text will be withdrawn, because the call',
      failure: { message: 'Overloaded (made up).', retryAfter: 40 },
    },
    { text: 'The second attempt worked. The text of the first one is gone.' },
  ],
  error: () => [
    { text: 'This run fails, because', failure: { message: 'The model failed (made up).' } },
  ],
  fail: () => [{ text: 'A tool that fails:', calls: [failingCommand] }, { text: resultText }],
  parallel: () => [
    { text: 'Two tools at once:', calls: [listCommand, readFile] },
    { text: 'Both are done.' },
  ],
  edit: () => [{ text: 'An edit with its diff:', calls: [editFile] }, { text: resultText }],
  approve: () => approval,
  tool: () => approval,
  image: ({ images }) => [
    { text: `${imageText(images.length)} A tool can return one, too:`, calls: [screenshot] },
    { text: 'That was the image.' },
  ],
  think: () => [
    { thinking: 'Somebody wants to see me think. I have nothing to think about.', text: 'Done.' },
  ],
  long: () => [
    { text: Array.from({ length: 6 }, () => markdown).join('\n\n') },
    { text: 'Now a tool with long output:', calls: [longCommand] },
    { text: 'That was long.' },
  ],
}

const keywords = Object.keys(scripts).map((keyword) => `\`${keyword}\``)

/** The script of a prompt without a keyword: a bit of everything. */
const tour: readonly Step[] = [
  {
    thinking: 'A demo should show a bit of everything. Text first, then the tools.',
    text: markdown,
    calls: [listCommand, readFile],
  },
  { text: 'Those two ran at once. The next one needs your approval:', calls: [approvedCommand] },
  { text: (results) => `${resultText(results)} Last, an edit:`, calls: [editFile] },
  {
    text: (results) =>
      `${resultText(results)}\n\nAsk for more with one of these words: ${keywords.join(', ')}. Send a message while I work, and I read it at my next step.`,
  },
]

const imageText = (count: number): string =>
  count === 0 ? 'You sent no image.' : `Images that you sent: ${count}.`

const scriptNamedIn = (text: string): ((message: InputMessage) => readonly Step[]) | undefined =>
  Object.entries(scripts).find(([keyword]) => new RegExp(`\\b${keyword}`, 'i').test(text))?.[1]

/** The steps that answer a prompt. */
export const scriptFor = (message: InputMessage): readonly Step[] =>
  scriptNamedIn(message.text)?.(message) ?? tour

/** The steps after a steering message, which replace the rest of the script. */
export const steeredScript = (message: InputMessage): readonly Step[] => [
  { text: `You steered me: “${message.text}”. I skip the rest of my script.` },
  ...(scriptNamedIn(message.text)?.(message) ?? []),
]

/** A script with a text before it: in its first message, unless that will be withdrawn. */
export const withPreface = (preface: string, steps: readonly Step[]): readonly Step[] => {
  const [first, ...rest] = steps
  if (preface === '') return steps
  if (typeof first !== 'object' || typeof first.text !== 'string' || first.failure)
    return [{ text: preface }, ...steps]
  return [{ ...first, text: `${preface}\n\n${first.text}` }, ...rest]
}
