import { describe, expect, test } from 'vitest'
import { type FailedCall, retryReasonOf } from '../../src/agents/retry-reason.ts'
import { retryReasons, retryText } from '../../src/events/retry-reasons.ts'
import { ofType } from '../support/decoded.ts'
import { decodeChunks, recordings } from '../support/recordings.ts'

describe('the reason of a retry', () => {
  const anthropic = (status: number, type: string) =>
    `${status} {"type":"error","error":{"type":"${type}","message":"network"}}`

  test.each<[string, FailedCall]>([
    ['overloaded', { error: anthropic(529, 'overloaded_error') }],
    ['overloaded', { error: '{"type":"error","error":{"type":"overloaded_error"}}' }],
    ['rate_limit', { error: anthropic(429, 'rate_limit_error') }],
    ['server_error', { error: anthropic(500, 'api_error') }],
    ['server_error', { error: '503 Service Unavailable' }],
    ['timeout', { error: 'Request timed out.' }],
    ['network', { error: 'terminated' }],
    ['network', { error: 'Connection error.' }],
    ['network', { error: 'fetch failed' }],
    ['network', { error: 'unknown', status: null }],
    ['authentication', { error: 'authentication_failed', status: 401 }],
    ['overloaded', { error: 'rate_limit', status: 529 }],
    ['rate_limit', { error: 'rate_limit' }],
    ['billing', { error: 'billing_error' }],
    ['not_found', { error: 'model_not_found' }],
    ['unknown', { error: 'It did not work.' }],
    ['unknown', { error: undefined }],
  ])('%s: %j', (reason, call) => {
    const { error } = call
    expect(retryReasonOf(call)).toEqual({
      reason,
      ...(error !== undefined && { rawReason: error }),
    })
  })

  test('is one of the words in every recording', () => {
    const retries = recordings.flatMap(({ agent, bytes }) =>
      ofType(decodeChunks(agent, [bytes()]), 'auto_retry_start'),
    )
    expect(retries.length).toBeGreaterThan(30)
    for (const { reason, rawReason } of retries) {
      expect(Object.keys(retryReasons)).toContain(reason)
      // Qwen can say that it retries, and not why.
      if (rawReason !== 'retry') expect(reason, rawReason).not.toBe('unknown')
      expect(rawReason).toBeDefined()
    }
  })

  test('is a sentence for people, or the words of the agent if there is none', () => {
    expect(retryText({ reason: 'overloaded', rawReason: '529 {}' })).toBe(
      'The model is overloaded.',
    )
    expect(retryText({ reason: 'unknown', rawReason: 'Odd.' })).toBe('Odd.')
    expect(retryText({ reason: 'unknown' })).toBe('The model call failed.')
    expect(retryText({ reason: 'An old text.' })).toBe('An old text.')
  })
})
