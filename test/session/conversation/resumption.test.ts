import { expect, test } from 'vitest'
import { createResumption } from '../../../src/session/conversation/resumption.ts'

const copying = { resume: 'source', fork: true }

test('a fork copies the conversation until the agent has reported an id for the copy', () => {
  const resumption = createResumption(undefined, { forkedNativeId: 'source' })
  expect(resumption.target()).toEqual(copying)
  resumption.processStarted()
  expect(resumption.isCopy()).toBe(true)
  expect(resumption.setNativeId('copy')).toBe(true)
  expect(resumption.target()).toEqual({ resume: 'copy' })
  resumption.processStarted()
  expect(resumption.isCopy()).toBe(false)
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
