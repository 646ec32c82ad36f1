// Plays Claude Code with a model that does what its prompt says. The prompt is JSON:
// { calls: [{ name, input, requested?, output?, description?, requestId? }] }. Each call requests a permission, as the
// real program does, with `requested` instead of `input` if it is there. The output of an allowed call is the
// JSON of the arguments that the host returned, and of the permissions that it changed, or `output`.
// { init: {…} } adds fields to its `init` line, `suggestions` of a call are what it offers to store, and a call with
// `isFree` needs no permission. To { isMute: true } it prints nothing at all. To { dies: REASON } it exits with this reason.

const session = { session_id: 'b7c9b5a0-0000-4000-8000-000000000001', parent_tool_use_id: null }
let ids = 0
const waiting = new Map()

const newId = (kind) => {
  ids += 1
  return `${kind}_${ids}`
}
const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`)

const assistant = (content) =>
  print({
    type: 'assistant',
    message: {
      id: newId('msg'),
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content,
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    ...session,
  })

const permission = (id, call) =>
  new Promise((resolve) => {
    const { name, input: own, requested: input = own, description } = call
    const { requestId = newId('request'), suggestions } = call
    waiting.set(requestId, resolve)
    print({
      type: 'control_request',
      request_id: requestId,
      request: {
        ...{ subtype: 'can_use_tool', tool_name: name, input, description, tool_use_id: id },
        permission_suggestions: suggestions,
      },
    })
  })

const run = async (prompt) => {
  const { isMute, dies, init = {}, calls: requested = [] } = JSON.parse(prompt)
  if (isMute) return
  if (dies) {
    process.stderr.write(`${dies}\n`)
    process.exit(1)
  }
  const calls = requested.map((call) => ({ ...call, id: newId('toolu') }))
  print({
    type: 'system',
    subtype: 'init',
    cwd: process.cwd(),
    tools: [],
    model: 'claude-opus-5-5',
    ...session,
    ...init,
  })
  assistant(calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })))
  await Promise.all(
    calls.map(async (call) => {
      const { behavior, updatedInput, updatedPermissions, message } = call.isFree
        ? { behavior: 'allow' }
        : await permission(call.id, call)
      const isAllowed = behavior === 'allow'
      const returned = updatedPermissions ? { updatedInput, updatedPermissions } : updatedInput
      print({
        type: 'user',
        message: {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: call.id,
              content: isAllowed ? (call.output ?? JSON.stringify(returned)) : message,
              is_error: !isAllowed,
            },
          ],
        },
        ...session,
      })
    }),
  )
  print({
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 1,
    result: 'Done.',
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 1 },
    ...session,
  })
}

const control = ({ request_id: requestId, request }) => {
  print({ type: 'control_response', response: { subtype: 'success', request_id: requestId } })
  if (request.subtype === 'stop_task') {
    const { task_id } = request
    print({ type: 'system', subtype: 'task_notification', task_id, status: 'stopped', ...session })
  }
  if (request.subtype !== 'interrupt') return
  for (const resolve of waiting.values()) resolve({ behavior: 'deny', message: 'Interrupted.' })
  waiting.clear()
}

const answer = ({ response }) => {
  waiting.get(response.request_id)?.(response.response)
  waiting.delete(response.request_id)
}

const textOf = (content) =>
  typeof content === 'string' ? content : content.map(({ text = '' }) => text).join('')

const accept = (line) => {
  if (line.type === 'control_request') control(line)
  else if (line.type === 'control_response') answer(line)
  else void run(textOf(line.message.content))
}

// At LF only: readline would also split at U+2028.
let pending = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (pending + chunk).split('\n')
  pending = lines.pop()
  for (const line of lines) accept(JSON.parse(line))
})
