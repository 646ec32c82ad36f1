import {
  askedCommand,
  edit,
  failingCommand,
  listing,
  longCommand,
  reading,
  screenshot,
} from './calls.ts'
import type { Result, Step } from './step.ts'
import type { Said } from './waiting.ts'
import { markdown } from './words.ts'

/** What became of the last call, in words. */
const told = ([last]: readonly Result[]): string => {
  switch (last?.outcome) {
    case 'denied':
      return `It was not allowed (“${last.message}”), so it was left alone.`
    case 'rewritten':
      return 'It was allowed with another input, and that one was played.'
    case 'failed':
      return 'It failed, as it was meant to: the exit code tells it.'
    default:
      return 'It was allowed, and it is done.'
  }
}

const asked: Step[] = [
  { text: 'A tool that must be allowed first:', calls: [askedCommand] },
  { text: told },
]

const twoAtOnce: Step = { text: 'Two tools at once:', calls: [listing, reading] }

/** The scripts, each with the words that ask for it; the first that fits is played. */
const scripts: Record<string, (said: Said) => readonly Step[]> = {
  replay: () => [
    { text: 'What follows is the recording of another agent, told again in real time.' },
    'replay',
    { text: 'That was the recording.' },
  ],
  retry: () => [
    {
      text: 'These words will be taken back, because the call',
      failure: { message: 'Overloaded (made up).', retryAfter: 40 },
    },
    { text: 'The second attempt worked: what the first one said is gone.' },
  ],
  error: () => [
    { text: 'This run ends badly, because', failure: { message: 'The model failed (made up).' } },
  ],
  fail: () => [{ text: 'A tool that fails:', calls: [failingCommand] }, { text: told }],
  parallel: () => [twoAtOnce, { text: 'Both are done.' }],
  edit: () => [{ text: 'An edit with its diff:', calls: [edit] }, { text: told }],
  approve: () => asked,
  tool: () => asked,
  image: ({ images }) => [
    { text: `${seen(images.length)} A tool can show one, too:`, calls: [screenshot] },
    { text: 'That was the image.' },
  ],
  think: () => [
    { thinking: 'Somebody wants to see me think. I have nothing to think about.', text: 'Done.' },
  ],
  long: () => [
    { text: Array.from({ length: 6 }, () => markdown).join('\n\n') },
    { text: 'And a tool that prints much:', calls: [longCommand] },
    { text: 'That was long.' },
  ],
}

const words = Object.keys(scripts).map((word) => `\`${word}\``)

const tour: readonly Step[] = [
  {
    thinking: 'A demonstration should show a bit of everything. Text first, then the tools.',
    text: markdown,
    calls: [listing, reading],
  },
  { text: 'Those two ran at once. The next one must be allowed:', calls: [askedCommand] },
  { text: (results) => `${told(results)} Last, an edit:`, calls: [edit] },
  {
    text: (results) =>
      `${told(results)}\n\nAsk for more with one of these words: ${words.join(', ')}. Say something while I work, and I take it at my next step.`,
  },
]

const seen = (count: number): string =>
  count === 0 ? 'No image came along.' : `Images that came along: ${count}.`

const namedIn = (text: string): ((said: Said) => readonly Step[]) | undefined =>
  Object.entries(scripts).find(([word]) => new RegExp(`\\b${word}`, 'i').test(text))?.[1]

/** The steps that answer a prompt: those that a word in it asks for, else a bit of everything. */
export const scriptFor = (said: Said): readonly Step[] => namedIn(said.text)?.(said) ?? tour

/** The steps after a steer: the rest of the script is dropped for what was asked instead. */
export const steeredScript = (said: Said): readonly Step[] => [
  { text: `You steered me: “${said.text}”. I drop the rest of what I was about to do.` },
  ...(namedIn(said.text)?.(said) ?? []),
]

/** A script with something said before it: in its first message, unless that will be taken back. */
export const withPreface = (preface: string, steps: readonly Step[]): readonly Step[] => {
  const [first, ...rest] = steps
  if (preface === '') return steps
  if (typeof first !== 'object' || typeof first.text !== 'string' || first.failure)
    return [{ text: preface }, ...steps]
  return [{ ...first, text: `${preface}\n\n${first.text}` }, ...rest]
}
