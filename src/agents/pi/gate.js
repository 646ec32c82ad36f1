// Runs inside Pi: requests approval from Sluice before every tool call. Pi’s own dialogs do not say
// which call they are about, so the title of the dialog is JSON that names the call, and the reply
// is JSON too.
const gate = (pi) => {
  pi.on('tool_call', async (event, ctx) => {
    const { toolCallId, toolName, input } = event
    const request = JSON.stringify({ sluice: 'tool_approval', toolCallId, toolName, input })
    const reply = parseReply(await ctx.ui.input(request))
    if (reply.action !== 'allow') {
      return { block: true, reason: reply.message ?? 'Denied.' }
    }
    if (reply.updatedInput !== undefined) {
      if (!isObject(reply.updatedInput)) {
        return { block: true, reason: 'Denied: the new arguments are not an object.' }
      }
      for (const key of Object.keys(input)) delete input[key]
      Object.assign(input, reply.updatedInput)
    }
    return undefined
  })
}

/** No reply, or one that is not JSON, denies the call. */
const parseReply = (text) => {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

// biome-ignore lint/style/noDefaultExport: Pi loads an extension by its default export.
export default gate
