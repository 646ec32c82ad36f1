import { JetStreamApiError } from '@nats-io/jetstream'
import { expect, test } from 'vitest'
import { serverErrorOf } from '../../../src/log/jetstream/server-errors.ts'

// As nats-server 2.9.10 and 2.15.1 send them.
test.each([
  [400, 10071, 'wrong last sequence: 7', 'conflict'],
  [400, 10164, 'wrong last sequence', 'transient'],
  [409, 10158, 'duplicate message id is in process', 'transient'],
  [503, 10077, 'maximum bytes exceeded', 'full'],
  [503, 10077, 'store is closed', 'transient'],
  [503, 10008, 'JetStream system temporarily unavailable', 'transient'],
  [404, 10059, 'stream not found', 'fatal'],
] as const)('status %i, code %i (%s) is %s', (code, err_code, description, expected) => {
  expect(serverErrorOf(new JetStreamApiError({ code, err_code, description }))).toBe(expected)
})
