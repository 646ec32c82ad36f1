/** Lines of Claude Code with only the fields that matter. */
export const init = {
  type: 'system',
  subtype: 'init',
  session_id: 's',
  model: 'opus',
  cwd: '/p',
  tools: ['Bash'],
}
export const assistant = (id: string, block: object, more: object = {}) => ({
  type: 'assistant',
  message: { id, model: 'opus', content: [block], usage: { input_tokens: 1, output_tokens: 1 } },
  parent_tool_use_id: null,
  ...more,
})
export const text = (value: string) => ({ type: 'text', text: value })
export const use = (id: string, name = 'Bash', input: object = {}) => ({
  type: 'tool_use',
  id,
  name,
  input,
})
export const answer = (id: string, content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...more }] },
  parent_tool_use_id: null,
})
export const result = (more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  ...more,
})
export const stream = (event: object) => ({ type: 'stream_event', event, parent_tool_use_id: null })
