// Plays the agent’s side of a recorded dialog, as the agent’s process would: prints the recorded
// stdout, but each line that came in answer to something only once that has arrived, and checks
// that what arrives means the same as what was recorded. Ids of the host’s are its own choice:
// they are put in the place of the recorded ones.
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { isDeepStrictEqual } from 'node:util'

const { STAND_IN_RECORDING = '', STAND_IN_REPORT = '' } = process.env
const read = (suffix) =>
  readFileSync(`${STAND_IN_RECORDING}${suffix}`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const stdout = read('.ndjson')
const { exitCode } = JSON.parse(readFileSync(`${STAND_IN_RECORDING}.json`, 'utf8'))
const replaced = new Map()
const report = { args: process.argv.slice(2), kinds: [], problems: [], missing: [] }
let printed = 0
let ended = false

const indexOf = (holds) => {
  const index = stdout.findIndex(holds)
  return index < 0 ? Number.POSITIVE_INFINITY : index
}

const kindOf = (line) => {
  if (line.type === 'user') return 'prompt'
  if (line.type === 'control_response') return `answer ${line.response.request_id}`
  return line.request.subtype
}

const cancelOf = (requestId) =>
  indexOf((line) => line.type === 'control_cancel_request' && line.request_id === requestId)

/** The line number before which something must have arrived. */
const dueOf = (line, nth) => {
  if (line.type === 'user') return Math.min(mentionOf(line.uuid), nthInit(nth))
  if (line.type === 'control_request') return replyTo(line.request_id)
  return answerTo(line.response.request_id)
}

/** Subagents may ask side by side: all their questions come before the answers. */
const answerTo = (requestId) => {
  const asked = indexOf((line) => line.type === 'control_request' && line.request_id === requestId)
  const { tool_use_id: toolCallId } = stdout[asked].request
  const isResult = (line) => line.type === 'user' && JSON.stringify(line).includes(toolCallId)
  const answered = stdout.findIndex((line, index) => index > asked && isResult(line))
  const isQuestion = (line, index) => index < answered && line.type === 'control_request'
  return Math.max(asked, stdout.findLastIndex(isQuestion)) + 1
}

const mentionOf = (uuid) =>
  indexOf((line) => uuid !== undefined && JSON.stringify(line).includes(`"${uuid}"`))

const nthInit = (nth) => {
  const inits = stdout.flatMap((line, index) => (line.subtype === 'init' ? [index] : []))
  return inits[nth] ?? Number.POSITIVE_INFINITY
}

/** An interrupt first takes back the question that is open. */
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
  // An answer that came too late changed nothing: it may come, or not.
  const isLate = answered.has(kind) || cancelOf(line.response?.request_id) < stdout.length
  if (kind.startsWith('answer')) answered.add(kind)
  const one = { line, kind, due, isLate, isThere: false }
  // Refusing and interrupting in one is, for a host that has no word for it, refusing and then
  // interrupting.
  if (line.response?.response?.interrupt !== true) return [one]
  return [one, { line: {}, kind: 'interrupt', due, isLate: false, isThere: false }]
})

const textOf = ({ content }) =>
  typeof content === 'string' ? content : content.map((block) => block.text ?? '').join('')

/** What a line says, as far as it must be the same. */
const meaningOf = (line, like) => {
  if (line.type === 'user') return { role: line.message.role, text: textOf(line.message) }
  if (line.type !== 'control_response') return {}
  const { behavior, updatedInput, message } = line.response.response
  if (behavior === 'deny') return { behavior, message }
  // Without an input, the one that was asked about is meant.
  const isSaid = like.response?.response.updatedInput !== undefined
  return isSaid ? { behavior, updatedInput } : { behavior }
}

const arrive = (line) => {
  const kind = kindOf(line)
  report.kinds.push(kind)
  const wanted = expected.find((each) => each.kind === kind && !each.isThere)
  if (!wanted) return fail(`nobody expects ${JSON.stringify(line)}`)
  wanted.isThere = true
  if (wanted.isLate) return
  const [was, is] = [meaningOf(wanted.line, wanted.line), meaningOf(line, wanted.line)]
  if (!isDeepStrictEqual(was, is))
    fail(`${JSON.stringify(is)} is not what was recorded: ${JSON.stringify(was)}`)
  replace(wanted.line.uuid, line.uuid)
  replace(wanted.line.request_id, line.request_id)
}

const replace = (recorded, ours) => {
  if (recorded !== undefined) replaced.set(`"${recorded}"`, `"${ours}"`)
}

const print = () => {
  const isDue = ({ due, isThere, isLate }) => !isThere && !isLate && due <= printed
  while (printed < stdout.length && !expected.some(isDue)) {
    let text = JSON.stringify(stdout[printed])
    for (const [recorded, ours] of replaced) text = text.replaceAll(recorded, ours)
    process.stdout.write(`${text}\n`)
    printed += 1
  }
  if (ended) leave(exitCode ?? 0)
}

const fail = (problem) => {
  report.problems.push(problem)
  process.stderr.write(`${problem}\n`)
  leave(9)
}

const leave = (code) => {
  report.missing = expected.filter((each) => !each.isThere && !each.isLate).map(({ kind }) => kind)
  if (printed < stdout.length) report.missing.push(`${stdout.length - printed} lines to print`)
  writeFileSync(STAND_IN_REPORT, JSON.stringify(report))
  process.exitCode = code
  process.stdin.destroy()
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    arrive(JSON.parse(line))
    print()
  })
  .on('close', () => {
    if (process.exitCode !== undefined) return
    ended = true
    print()
  })
