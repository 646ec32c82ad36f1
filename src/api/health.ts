import { z } from 'zod'

export const healthReason = z
  .object({
    code: z
      .enum([
        'disk_full',
        'log_failed',
        'log_unreachable',
        'session_damaged',
        'records_damaged',
        'keep_exceeded',
      ])
      .describe(
        '`disk_full`, `log_failed`, `log_unreachable`: commands are refused with the same code. `session_damaged`: one session is affected. `records_damaged`: records such as keys cannot be read, and count as absent. `keep_exceeded`: the log is larger than `--keep` allows, because the rest is pinned or in use.',
      ),
    detail: z.string().describe('What is wrong and what to do, for people.'),
    since: z.number().optional().describe('When it began, in ms since 1970.'),
    sessionId: z.string().optional().describe('With `session_damaged`: id of the session.'),
  })
  .describe('One thing that is wrong with the server.')

export const health = z
  .object({
    status: z
      .enum(['ok', 'degraded', 'stopping'])
      .describe(
        '`degraded`: something is wrong; see `reasons`. `stopping`: the server finishes its work and accepts no new requests.',
      ),
    reasons: z.array(healthReason).describe('What is wrong. Empty when nothing is.'),
    version: z.string().describe('Version of the server.'),
  })
  .describe(
    'Response of `GET health`. It needs no token. The status is 503 while commands are refused, and otherwise 200.',
  )
