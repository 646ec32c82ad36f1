/** Lines of Pi with only the fields that matter. */
export const begin = [{ type: 'agent_start' }, { type: 'turn_start' }]
export const usage = {
  input: 1,
  output: 2,
  cacheRead: 3,
  cacheWrite: 4,
  totalTokens: 10,
  cost: { total: 0.5 },
}
export const opening = (more: object = {}) => ({
  type: 'message_start',
  message: { role: 'assistant', content: [], model: 'm', stopReason: 'stop', ...more },
})
export const closing = (content: unknown[], more: object = {}) => ({
  type: 'message_end',
  message: { role: 'assistant', content, model: 'm', usage, stopReason: 'stop', ...more },
})
export const update = (event: object, more: object = {}) => ({
  type: 'message_update',
  assistantMessageEvent: event,
  ...more,
})
export const text = (value: string) => ({ type: 'text', text: value })
