import type { Block } from '../../events/types.ts'
import {
  defined,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  stringIn,
  stringOf,
} from '../../shared/fields.ts'
import { detailsWithDiff } from '../tool-calls/edit-diff.ts'
import { resultEvents } from '../tool-calls/result-events.ts'
import type { TerminalOutput } from '../workspace.ts'
import type { AcpCall } from './tools.ts'
import { type ContentDiff, diffsIn, locationsIn, toolBlocks, toolText } from './wire.ts'

/**
 * The arguments of a call. Agents that send none still say in their title, content and locations what
 * the call does: a person decides about that.
 */
export const callInput = (fields: Fields): unknown => {
  const { rawInput, content, locations } = fields
  if (isFields(rawInput) ? Object.keys(rawInput).length > 0 : rawInput !== undefined)
    return rawInput
  const paths = locationsIn(locations)
  const text = toolText(content)
  const diffs = diffsIn(content)
  return defined({
    title: stringOf(fields.title),
    text: text === '' ? undefined : text,
    paths: paths.length > 0 ? paths : undefined,
    diffs: diffs.length > 0 ? diffs : undefined,
  })
}

/** The events that end a call. `shown`: the terminals in its content. */
export const callResult = (call: AcpCall, shown: readonly TerminalOutput[]) => {
  const { id: toolCallId, name: toolName, fields } = call
  const isError = fields.status === 'failed'
  const printed = { text: call.terminalOutput }
  const content = resultContent(fields, [...shown, printed])
  const exitCode = exitCodeOf(fields) ?? shown.at(-1)?.exit?.code ?? undefined
  const details = resultDetails(call, isError)
  return resultEvents({ toolCallId, toolName, content, isError, exitCode, details })
}

/** A text in `rawOutput` is the output as the model sees it; the content can be a copy in a fence. */
const resultContent = (
  { content, rawOutput }: Fields,
  shown: readonly Pick<TerminalOutput, 'text'>[],
): Block[] => {
  if (typeof rawOutput === 'string' && rawOutput !== '') return [{ type: 'text', text: rawOutput }]
  const ofTerminals = shown.filter(({ text }) => text !== '')
  const blocks = [
    ...toolBlocks(content),
    ...ofTerminals.map(({ text }): Block => ({ type: 'text', text })),
  ]
  if (blocks.length > 0) return blocks
  const text = stringIn(rawOutput, 'output', 'formatted_output', 'aggregated_output', 'stdout')
  const found = text ?? stringIn(rawOutput, 'content', 'message', 'error')
  return found === undefined || found === '' ? [] : [{ type: 'text', text: found }]
}

const exitCodeOf = ({ rawOutput, content, _meta }: Fields): number | undefined => {
  const output = fieldsOf(rawOutput)
  const ofShell = listOf(output.contents).map((each) => numberOf(fieldsOf(each).exitCode))
  return (
    numberOf(output.exitCode) ??
    numberOf(output.exit_code) ??
    numberOf(fieldsOf(output.metadata).exit) ??
    ofShell.find((each) => each !== undefined) ??
    numberOf(fieldsOf(fieldsOf(_meta).terminal_exit).exit_code) ??
    exitCodeInText(stringOf(rawOutput) ?? toolText(content))
  )
}

const exitCodeInText = (text: string): number | undefined => {
  const [, code] = /^(?:```\w*\n)?Exit code (\d+)\n/.exec(text) ?? []
  return code === undefined ? undefined : Number(code)
}

/** Data about the result; for an edit with the unified diff of each file. */
const resultDetails = ({ fields, writes }: AcpCall, isError: boolean): unknown => {
  const reported = fieldsOf(fieldsOf(fields._meta).claudeCode).toolResponse
  const details = reported ?? fieldsOf(fields.rawOutput).metadata
  if (isError || (fields.kind !== 'edit' && writes.length === 0)) return details
  const reportedDiffs = diffsIn(fields.content)
  const diffs = reportedDiffs.length > 0 ? reportedDiffs : writes
  // Content may hold only the words that changed, so the agent’s own report comes first.
  const own = diffOf(fields.rawInput, details)
  const diff = own ?? diffs.map(contentDiff).join('')
  return diff === '' ? details : { ...fieldsOf(details), diff }
}

const contentDiff = ({ path, oldText, newText }: ContentDiff): string =>
  diffOf({ path, content: newText }, { originalFile: oldText }) ?? ''

const diffOf = (args: unknown, details: unknown): string | undefined =>
  stringIn(detailsWithDiff({ toolName: 'edit', args, details, isError: false }), 'diff')
