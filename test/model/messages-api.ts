import type { Dialect } from './dialect.ts'
import { frames, whole } from './message.ts'
import { readMessagesRequest } from './request.ts'

/** Anthropic’s Messages API. */
export const messagesApi: Dialect = {
  answers: (path) => path.endsWith('/v1/messages'),
  read: readMessagesRequest,
  frames,
  whole,
  error: (error) => error,
  failure: (error) => ({ ...error }),
}
