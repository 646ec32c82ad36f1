import { describe, expect, test } from 'vitest'
import { endpoints, needsLog } from '../../src/http/endpoints.ts'
import { problemOf } from '../../src/http/problem-of.ts'
import type { LogState } from '../../src/log/index.ts'
import { requireWritable } from '../../src/log/log-status.ts'

describe('while the log cannot store anything', () => {
  test('everything that creates or changes something is refused, and nothing else', () => {
    const tried = Object.entries(endpoints)
      .filter(([, endpoint]) => endpoint.method !== 'GET' && !needsLog(endpoint))
      .map(([name]) => name)
    expect(tried.sort()).toEqual([
      'abort',
      'answerApproval',
      'challengePasskey',
      'createPairing',
      'deleteProject',
      'forgetTrust',
      'issueToken',
      'pair',
      'pauseLoop',
      'removeBudget',
      'removePasskey',
      'removeProjectRule',
      'removeQueued',
      'removeSession',
      'removeSessionRule',
      'removeWorktree',
      'revokeBrowser',
      'revokeKey',
      'signIn',
      'signOut',
      'stopLoop',
      'stopShell',
      'stopTask',
    ])
    expect(
      Object.values(endpoints)
        .filter((each) => each.method === 'GET')
        .some(needsLog),
    ).toBe(false)
  })

  test.each<[LogState, number, string]>([
    ['low_space', 507, 'disk_full'],
    ['full', 507, 'disk_full'],
    ['unwritable', 503, 'log_failed'],
    ['failed', 503, 'log_failed'],
    ['unreachable', 503, 'log_unreachable'],
  ])('%s is refused with %i %s and its reason', async (state, status, code) => {
    const current = { state, reason: 'This is why.', since: 1 }
    const refused = requireWritable({ checkStatus: async () => current })
    const cause = await refused.catch((thrown: unknown) => thrown)
    const problem = problemOf(cause, (unexpected) => expect.unreachable(String(unexpected)))
    expect(problem).toMatchObject({ status, code, message: 'This is why.' })
  })

  test('a file that finds no space is refused with the same code', () => {
    const cause = Object.assign(new Error('no space left'), { code: 'ENOSPC' })
    const problem = problemOf(cause, (unexpected) => expect.unreachable(String(unexpected)))
    expect(problem).toMatchObject({ status: 507, code: 'disk_full' })
  })
})
