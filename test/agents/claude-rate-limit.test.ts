import { expect, test } from 'vitest'
import { init } from '../support/claude-lines.ts'
import { decoderOf, ofType } from '../support/decoded.ts'

const decode = decoderOf('claude')
const line = (info: object) => ({ type: 'rate_limit_event', rate_limit_info: info })

test('a rate limit is a change of the session, with its end in milliseconds', () => {
  const full = { status: 'rejected', resetsAt: 1_794_837_600, rateLimitType: 'five_hour' }
  const events = decode(
    init,
    line({ ...full, utilization: 1 }),
    line({ ...full, resetsAt: 1_794_837_600_000 }),
    line({ status: 'allowed' }),
  )
  const limits = ofType(events, 'session_update').flatMap(({ rateLimit }) => rateLimit ?? [])
  const expected = { status: 'rejected', kind: 'five_hour', resetsAt: 1_794_837_600_000 }
  expect(limits).toEqual([{ ...expected, utilization: 1 }, expected, { status: 'allowed' }])
})

test('one without a status is kept as it is', () => {
  expect(ofType(decode(init, line({})), 'raw')).toHaveLength(1)
})
