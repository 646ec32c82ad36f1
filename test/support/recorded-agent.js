// Plays the agent’s side of a recorded dialog, as the agent’s process would. It prints the recorded
// stdout; a line that responded to input is printed only when that input has arrived. It checks
// that the input has the recorded meaning. Ids that the host chooses replace the recorded ones.
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'

const { RECORDED_DIALOG = '', DIALOG_REPORT = '' } = process.env
const read = (suffix) =>
  readFileSync(`${RECORDED_DIALOG}${suffix}`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const stdout = read('.ndjson')
const { exitCode } = JSON.parse(readFileSync(`${RECORDED_DIALOG}.json`, 'utf8'))
const replaced = new Map()
const report = { args: process.argv.slice(2), kinds: [], problems: [], missing: [] }
let printed = 0
let isInputClosed = false

const indexOf = (matches) => {
  const index = stdout.findIndex(matches)
  return index < 0 ? Number.POSITIVE_INFINITY : index
}

const kindOf = (line) => {
  if (line.type === 'user') return 'prompt'
  if (line.type === 'control_response') return `answer ${line.response.request_id}`
  return line.request.subtype
}

const cancelOf = (requestId) =>
  indexOf((line) => line.type === 'control_cancel_request' && line.request_id === requestId)

/** The index of the printed line before which an input must have arrived. */
const dueOf = (line, nth) => {
  if (line.type === 'user') return Math.min(mentionOf(line.uuid), nthInit(nth))
  if (line.type === 'control_request') return replyTo(line.request_id)
  return answerTo(line.response.request_id)
}

/** Subagents may send requests in parallel: all requests come before the answers. */
const answerTo = (requestId) => {
  const request = indexOf(
    (line) => line.type === 'control_request' && line.request_id === requestId,
  )
  const { tool_use_id: toolCallId } = stdout[request].request
  const isResult = (line) => line.type === 'user' && JSON.stringify(line).includes(toolCallId)
  const result = stdout.findIndex((line, index) => index > request && isResult(line))
  const isRequest = (line, index) => index < result && line.type === 'control_request'
  return Math.max(request, stdout.findLastIndex(isRequest)) + 1
}

const mentionOf = (uuid) =>
  indexOf((line) => uuid !== undefined && JSON.stringify(line).includes(`"${uuid}"`))

const nthInit = (nth) => {
  const inits = stdout.flatMap((line, index) => (line.subtype === 'init' ? [index] : []))
  return inits[nth] ?? Number.POSITIVE_INFINITY
}

/** An interrupt first cancels the request that is open. */
const replyTo = (requestId) => {
  const reply = indexOf((line) => line.response?.request_id === requestId)
  return stdout[reply - 1]?.type === 'control_cancel_request' ? reply - 1 : reply
}

let prompts = 0
const answered = new Set()
const expected = read('.stdin.ndjson').flatMap((line) => {
  const kind = kindOf(line)
  const due = dueOf(line, prompts)
  if (kind === 'prompt') prompts += 1
  // An answer that was recorded too late changed nothing, so it is optional.
  const isLate = answered.has(kind) || cancelOf(line.response?.request_id) < stdout.length
  if (kind.startsWith('answer')) answered.add(kind)
  const input = { line, kind, due, isLate, hasArrived: false }
  // Sluice has no command that denies and interrupts at once: it denies, then interrupts.
  if (line.response?.response?.interrupt !== true) return [input]
  return [input, { line: {}, kind: 'interrupt', due, isLate: false, hasArrived: false }]
})

const textOf = ({ content }) =>
  typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('')

/** The part of a line that must be as recorded. */
const meaningOf = (line, like) => {
  if (line.type === 'user') return { role: line.message.role, text: textOf(line.message) }
  if (line.type !== 'control_response') return {}
  const { behavior, updatedInput, message } = line.response.response
  if (behavior === 'deny') return { behavior, message }
  // Without an input in the recording, the requested one was meant.
  const hasInput = like.response?.response.updatedInput !== undefined
  return hasInput ? { behavior, updatedInput } : { behavior }
}

const accept = (line) => {
  const kind = kindOf(line)
  const wanted = expected.find((each) => each.kind === kind && !each.hasArrived)
  // Not every recorded host asked for the lists of commands.
  if (!wanted && kind === 'initialize') return
  report.kinds.push(kind)
  if (!wanted) return fail(`unexpected input: ${JSON.stringify(line)}`)
  wanted.hasArrived = true
  if (wanted.isLate) return
  const [recorded, actual] = [meaningOf(wanted.line, wanted.line), meaningOf(line, wanted.line)]
  if (!isDeepStrictEqual(recorded, actual))
    fail(`recorded ${JSON.stringify(recorded)}, got ${JSON.stringify(actual)}`)
  replace(wanted.line.uuid, line.uuid)
  replace(wanted.line.request_id, line.request_id)
}

const replace = (recorded, ours) => {
  if (recorded !== undefined) replaced.set(`"${recorded}"`, `"${ours}"`)
}

const print = () => {
  const isDue = ({ due, hasArrived, isLate }) => !hasArrived && !isLate && due <= printed
  while (printed < stdout.length && !expected.some(isDue)) {
    let text = JSON.stringify(stdout[printed])
    for (const [recorded, ours] of replaced) text = text.replaceAll(recorded, ours)
    process.stdout.write(`${text}\n`)
    printed += 1
  }
  if (isInputClosed) end(exitCode ?? 0)
}

const fail = (problem) => {
  report.problems.push(problem)
  process.stderr.write(`${problem}\n`)
  end(9)
}

const end = (code) => {
  report.missing = expected
    .filter((each) => !each.hasArrived && !each.isLate)
    .map(({ kind }) => kind)
  if (printed < stdout.length) report.missing.push(`${stdout.length - printed} lines not printed`)
  writeFileSync(DIALOG_REPORT, JSON.stringify(report))
  process.exitCode = code
  process.stdin.destroy()
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    accept(JSON.parse(line))
    print()
  })
  .on('close', () => {
    if (process.exitCode !== undefined) return
    isInputClosed = true
    print()
  })
