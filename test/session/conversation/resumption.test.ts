import { expect, test } from 'vitest'
import { piLive } from '../../../src/agents/pi/live.ts'
import { createResumption } from '../../../src/session/conversation/resumption.ts'

const copying = { resume: 'source', fork: true }

test('a fork copies the conversation until the agent has reported an id for the copy', () => {
  const resumption = createResumption(undefined, { forkedNativeId: 'source' })
  expect(resumption.target()).toEqual(copying)
  resumption.processStarted()
  expect(resumption.hasEarlierUsage()).toBe(true)
  expect(resumption.setNativeId('copy')).toBe(true)
  expect(resumption.target()).toEqual({ resume: 'copy' })
  resumption.processStarted()
  expect(resumption.hasEarlierUsage()).toBe(false)
})

test('a crash before that does not make the fork write into the source', () => {
  const resumption = createResumption(undefined, { forkedNativeId: 'source' })
  resumption.processStarted()
  expect(resumption.setNativeId('source')).toBe(false)
  resumption.processDied('killed')
  expect(resumption.recoveryStep()).toBe('restart')
  expect(resumption.target()).toEqual(copying)
})

test('a fork that was loaded again resumes its own conversation', () => {
  const known = { nativeId: 'copy', forkedNativeId: 'source' }
  const resumption = createResumption(undefined, known)
  expect(resumption.target()).toEqual({ resume: 'copy' })
  // Its agent does not have it any more: a copy of what the source has become would be another one.
  resumption.forget()
  expect(resumption.target()).toEqual({})
})

test('a fork keeps the point where its copy ends, until it has a conversation of its own', () => {
  const known = { forkedNativeId: 'source', forkedAt: 'point' }
  const resumption = createResumption(undefined, known)
  expect(resumption.target()).toEqual({ ...copying, forkAt: 'point' })
  resumption.setNativeId('copy')
  expect(resumption.target()).toEqual({ resume: 'copy' })
})

test('a fork whose conversation the agent does not have fails, and can be tried again', () => {
  const live = { ...piLive, isUnknownSession: (stderr: string) => stderr.includes('not found') }
  const resumption = createResumption(live, { forkedNativeId: 'source' })
  resumption.processStarted()
  resumption.processDied('source not found')
  expect(resumption.isConversationUnknown()).toBe(false)
  expect(resumption.recoveryStep()).toBe('fail')
  expect(resumption.lastError()).toMatch(/^The agent does not have the conversation to copy/)
  expect(resumption.target()).toEqual(copying)
})
