import { type Fields, stringOf } from '../../../shared/fields.ts'
import type { Call } from './step.ts'
import { pixel } from './words.ts'

const commandOf = (input: Fields): string => stringOf(input.command) ?? ''

/** A command that must be allowed; with another input, it shows that one. */
export const askedCommand: Call = {
  name: 'bash',
  input: { command: 'npm test' },
  asks: 'To see whether the tests pass.',
  play: (input) => ({
    lines: [
      `$ ${commandOf(input)}   (nothing is really run)`,
      'checking 3 files',
      '✓ lines.test   12 passed',
      '✓ events.test  30 passed',
      '42 passed, 0 failed',
    ],
    exitCode: 0,
  }),
}

/** A command that fails. */
export const failingCommand: Call = {
  name: 'bash',
  input: { command: 'npm run build' },
  play: (input) => ({
    lines: [
      `$ ${commandOf(input)}   (nothing is really run)`,
      'src/hello.ts:2:7 error: Cannot find name ‘wrold’.',
      '1 error',
    ],
    exitCode: 2,
    isError: true,
  }),
}

/** A command that prints much. */
export const longCommand: Call = {
  name: 'bash',
  input: { command: 'seq 1 200' },
  play: () => ({
    lines: Array.from({ length: 200 }, (_, index) => `line ${index + 1} of 200`),
    exitCode: 0,
  }),
}

/** A short one, for company. */
export const listing: Call = {
  name: 'bash',
  input: { command: 'ls src' },
  play: () => ({ lines: ['events.ts', 'hello.ts', 'lines.ts'], exitCode: 0 }),
}

/** A file that is read. */
export const reading: Call = {
  name: 'read',
  input: { path: 'src/hello.ts' },
  play: () => ({
    lines: ['export const hello = (name: string): string => {', "  return 'Hello, ' + name", '}'],
  }),
}

/** An edit with its diff. */
export const edit: Call = {
  name: 'edit',
  input: {
    path: 'src/hello.ts',
    oldText: "  return 'Hello, ' + name",
    newText: "  return ['Hello', name].join(', ')",
  },
  asks: 'To join the parts as a list.',
  play(input) {
    const path = stringOf(input.path) ?? ''
    const removed = stringOf(input.oldText) ?? ''
    const added = stringOf(input.newText) ?? ''
    const patch = `--- ${path}\n+++ ${path}\n@@ -2,1 +2,1 @@\n-${removed}\n+${added}\n`
    const diff = `-2 ${removed}\n+2 ${added}`
    return {
      lines: [`Replaced 1 block in ${path}.`],
      details: { diff, patch, firstChangedLine: 2 },
    }
  },
}

/** A picture as a result. */
export const screenshot: Call = {
  name: 'screenshot',
  input: { of: 'the page' },
  play: () => ({
    lines: ['One pixel, which is all that there is to see.'],
    more: [{ type: 'image', data: pixel, mimeType: 'image/png' }],
  }),
}
