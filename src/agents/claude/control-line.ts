/** A control request to Claude Code. Its reply carries the id. */
export const control = (requestId: string, request: object) => ({
  type: 'control_request',
  request_id: requestId,
  request,
})
