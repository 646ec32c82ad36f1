// Speaks Claude Code’s protocol. For a prompt with a number it prints so many lines that Sluice cannot
// join, as fast as its reader takes them, each with its own number.
const session = { session_id: 'b7c9b5a0-0000-4000-8000-000000000003', parent_tool_use_id: null }
const usage = { input_tokens: 1, output_tokens: 1 }

const write = async (text) => {
  if (!process.stdout.write(text))
    await new Promise((resolve) => process.stdout.once('drain', resolve))
}
const print = (line) => write(`${JSON.stringify({ ...line, ...session })}\n`)

const run = async (count) => {
  await print({ type: 'system', subtype: 'init', cwd: process.cwd(), tools: [], model: 'm' })
  for (let at = 0; at < count; ) {
    let text = ''
    for (const end = Math.min(count, at + 1000); at < end; at += 1)
      text += `{"type":"flood","line":${at}}\n`
    await write(text)
  }
  await print({
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 1,
    result: '',
    usage,
  })
}

const accept = async (line) => {
  if (line.type === 'control_request') {
    const response = { subtype: 'success', request_id: line.request_id, response: {} }
    return print({ type: 'control_response', response })
  }
  if (line.type !== 'user') return
  await print({ ...line, isReplay: true })
  return run(Number(line.message.content[0].text))
}

let pending = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (pending + chunk).split('\n')
  pending = lines.pop()
  for (const line of lines) void accept(JSON.parse(line))
})
