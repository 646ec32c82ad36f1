import { type Fields, stringOf } from '../../../shared/fields.ts'
import type { ScriptedCall } from './script.ts'
import { pixel } from './texts.ts'

const commandLine = (input: Fields): string =>
  `$ ${stringOf(input.command) ?? ''}   (not really run)`

/** A command that needs an approval. Its output shows the command that was allowed. */
export const approvedCommand: ScriptedCall = {
  name: 'bash',
  input: { command: 'npm test' },
  approvalReason: 'To see whether the tests pass.',
  output: (input) => ({
    lines: [
      commandLine(input),
      'checking 3 files',
      '✓ lines.test   12 passed',
      '✓ events.test  30 passed',
      '42 passed, 0 failed',
    ],
    exitCode: 0,
  }),
}

/** A command that fails. */
export const failingCommand: ScriptedCall = {
  name: 'bash',
  input: { command: 'npm run build' },
  output: (input) => ({
    lines: [commandLine(input), 'src/hello.ts:2:7 error: Cannot find name ‘wrold’.', '1 error'],
    exitCode: 2,
    isError: true,
  }),
}

/** A command with long output. */
export const longCommand: ScriptedCall = {
  name: 'bash',
  input: { command: 'seq 1 200' },
  output: () => ({
    lines: Array.from({ length: 200 }, (_, index) => `line ${index + 1} of 200`),
    exitCode: 0,
  }),
}

/** A short command, to run beside another one. */
export const listCommand: ScriptedCall = {
  name: 'bash',
  input: { command: 'ls src' },
  output: () => ({ lines: ['events.ts', 'hello.ts', 'lines.ts'], exitCode: 0 }),
}

/** Reads a file. */
export const readFile: ScriptedCall = {
  name: 'read',
  input: { path: 'src/hello.ts' },
  output: () => ({
    lines: ['export const hello = (name: string): string => {', "  return 'Hello, ' + name", '}'],
  }),
}

/** Edits a file; its result has the diff. */
export const editFile: ScriptedCall = {
  name: 'edit',
  input: {
    path: 'src/hello.ts',
    oldText: "  return 'Hello, ' + name",
    newText: "  return ['Hello', name].join(', ')",
  },
  approvalReason: 'To join the parts as a list.',
  output(input) {
    const path = stringOf(input.path) ?? ''
    const removed = stringOf(input.oldText) ?? ''
    const added = stringOf(input.newText) ?? ''
    const diff = `--- ${path}\n+++ ${path}\n@@ -2,1 +2,1 @@\n-${removed}\n+${added}\n`
    return {
      lines: [`Replaced 1 block in ${path}.`],
      details: { diff, firstChangedLine: 2 },
    }
  },
}

/** Returns an image. */
export const screenshot: ScriptedCall = {
  name: 'screenshot',
  input: { of: 'the page' },
  output: () => ({
    lines: ['The image is one pixel.'],
    blocks: [{ type: 'image', data: pixel, mimeType: 'image/png' }],
  }),
}
