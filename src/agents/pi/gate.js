// Runs inside Pi: asks Sluice before every tool call. Pi’s own dialogs do not say which call they
// are about, so the question itself is JSON and names it; so is the answer.
const gate = (pi) => {
  pi.on('tool_call', async (event, ctx) => {
    const { toolCallId, toolName, input } = event
    const question = JSON.stringify({ sluice: 'tool_approval', toolCallId, toolName, input })
    const said = await ctx.ui.input(question)
    const answer = read(said)
    if (answer.action !== 'allow') {
      return { block: true, reason: answer.message ?? 'Denied.' }
    }
    if (answer.updatedInput !== undefined) {
      if (!isObject(answer.updatedInput)) {
        return { block: true, reason: 'Denied: the arguments to run with are not an object.' }
      }
      for (const key of Object.keys(input)) delete input[key]
      Object.assign(input, answer.updatedInput)
    }
    return undefined
  })
}

/** No answer, or one that cannot be read, means no. */
const read = (said) => {
  try {
    return JSON.parse(said) ?? {}
  } catch {
    return {}
  }
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

// biome-ignore lint/style/noDefaultExport: Pi loads an extension by its default export.
export default gate
