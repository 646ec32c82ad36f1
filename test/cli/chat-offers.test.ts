import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { promptFor } from '../../src/cli/chat/approval-prompt.ts'
import { createStyle } from '../../src/handler/style.ts'
import { configureAgents } from '../support/configured-agents.ts'
import { sluice } from '../support/sluice.ts'

describe('a chat with an agent of agents.json', () => {
  let directory: string
  let data: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sluice-offers-'))
    data = join(directory, 'data')
    mkdirSync(join(directory, 'project'))
    configureAgents(data, { mole: 'Garden Mole' })
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const chat = (input: string) =>
    sluice(
      ['chat', 'mole', '--cwd', join(directory, 'project'), '--data', data, '--sandbox', 'off'],
      { input },
    )

  test('/help lists what the agent has, and the rest is refused in one sentence', async () => {
    const { stdout, code } = await chat('/help\n/mode plan\n/thinking high\n!ls\n')
    expect(code).toBe(0)
    expect(stdout).toContain('  /file PATH')
    expect(stdout).toContain('  /rules')
    expect(stdout).toMatch(/Enter +sends a message, or queues it in a run/)
    for (const missing of ['/mode MODE', '/thinking LEVEL', '!COMMAND', 'Alt-Enter', 'steers'])
      expect(stdout).not.toContain(missing)
    expect(stdout).toContain('Garden Mole has no permission modes.')
    expect(stdout).toContain('Garden Mole has no thinking levels.')
    expect(stdout).toContain('Garden Mole does not run shell commands for you.')
    // A chat without a run has nothing to sum up.
    expect(stdout).not.toContain('no run of an agent')
  })

  test('a message during a run is queued, and read after it', async () => {
    const { stdout, code } = await chat('hello\nsecond message\n')
    expect(code).toBe(0)
    expect(stdout).toContain('You said: second message')
    expect(stdout).not.toContain('does not support')
  })
})

describe('the choices of an agent', () => {
  const request = {
    ...({ type: 'approval_request', approvalId: 'a', kind: 'tool', toolName: 'edit' } as const),
    options: [
      { id: 'file', label: 'Only this file', kind: 'allow_once' },
      { id: 'folder', label: 'The whole folder, once', kind: 'allow_once' },
      { id: 'no', label: 'Reject', kind: 'reject_once' },
    ] as const,
  }
  const prompt = promptFor(
    { ...request, options: [...request.options] },
    { style: createStyle(false), preview: { kind: 'arguments', args: {} } },
  )

  test('are all shown with their own names', () => {
    expect(prompt.keys).toEqual([
      'y yes, once: Only this file · n no: Reject · or type what to do instead',
      '1 The whole folder, once',
    ])
  })

  test('are sent exactly as chosen', () => {
    const by = 'person'
    expect(prompt.read('y')).toEqual({ action: 'allow', optionId: 'file', by })
    expect(prompt.read('1')).toEqual({ action: 'allow', optionId: 'folder', by })
    expect(prompt.read('n')).toEqual({ action: 'deny', optionId: 'no', by })
  })
})
