import { describe, expect, test } from 'vitest'
import {
  type ApprovalPrompt,
  type ApprovalRequest,
  promptFor,
} from '../../src/cli/chat/approval-prompt.ts'
import type { OfferedRules } from '../../src/cli/chat/offered-rules.ts'
import { pagesOf } from '../../src/cli/chat/pages.ts'
import { createStyle } from '../../src/handler/style.ts'
import type { CallPreview } from '../../src/preview/preview-call.ts'
import { ofType } from '../support/decoded.ts'
import { decodeChunks, recording } from '../support/recordings.ts'

const asked = { type: 'approval_request', kind: 'tool', approvalId: 'a', deadline: 0 } as const
const style = createStyle(false)
const rule = { tool: 'bash', pattern: 'npm test' }
const problem = 'The pattern does not cover this call.'
const rules: OfferedRules = {
  tool: 'bash',
  suggestions: [rule, { tool: 'bash', pattern: 'npm test *' }],
  problemOf: ({ pattern = '' }) => (pattern.startsWith('npm') ? undefined : problem),
}
const preview = (args: unknown): CallPreview => ({ kind: 'arguments', args })
const promptOf = (request: ApprovalRequest): ApprovalPrompt =>
  promptFor(request, { style, preview: preview(request.args), rules })
const ask = (of: object): ApprovalPrompt => promptOf({ ...asked, ...of })
const shown = (prompt: ApprovalPrompt): string[] => pagesOf(prompt, undefined).flat()
const by = 'person'
const again = undefined

describe('the approval of a tool', () => {
  test('shows each argument under its name, long ones on their own lines', () => {
    const args = { command: 'cd src\nnpm test\n', timeout: 5, env: { CI: '1' } }
    expect(shown(ask({ toolName: 'bash', args }))).toEqual([
      'Allow bash?',
      '  │ command:',
      '  │   cd src',
      '  │   npm test',
      '  │ timeout: 5',
      '  │ env:',
      '  │   {',
      '  │    "CI": "1"',
      '  │   }',
    ])
  })

  test('shows hidden characters as escapes, and warns about them', () => {
    const args = { command: 'echo \u001b[2Jhidden\rrm \u202e', path: 'p\u0430y' }
    expect(shown(ask({ toolName: 'ba\u0007sh', args }))).toEqual([
      'Allow ba\\u0007sh?',
      '  Contains control characters. They can overwrite or hide text in a terminal.',
      '  Contains text that screens show from right to left, or in another order.',
      '  Contains letters that look like others. A word may not be what it seems.',
      '  “p\u0430y” is spelled p\\u{430}y.',
      '  │ command: echo \\u001b[2Jhidden\\u000drm \\u202e',
      '  │ path: p\u0430y',
    ])
  })

  test('lists the choices of the agent by number, and never takes one of them for yes', () => {
    const always = { id: 'always', label: 'Always allow npm', kind: 'allow_always' }
    const stop = { id: 'halt', label: 'Deny and stop', kind: 'stop' }
    const once = { id: 'once', label: 'Allow', kind: 'allow_once' }
    const offered = ask({ toolName: 'bash', args: {}, options: [once, always, stop] })
    expect(offered.keys.slice(-2)).toEqual(['1 Always allow npm', '2 Deny and stop'])
    expect(offered.read('1')).toEqual({ action: 'allow', optionId: 'always', by })
    expect(offered.read('2')).toEqual({ action: 'deny', optionId: 'halt', by })
    expect(offered.read('y')).toEqual({ action: 'allow', optionId: 'once', by })
    const onlyForGood = ask({ toolName: 'bash', args: {}, options: [always, stop] })
    expect(onlyForGood.read('y')).toMatchObject({ problem: expect.any(String) })
  })

  const noAnswer = { problem: 'This letter is not an answer. The request still waits.' }
  const allow = { action: 'allow', by }
  const deny = { action: 'deny', by }
  test.for([
    ['y', allow],
    ['Yes', allow],
    ['s', { ...allow, remember: { scope: 'session', rule } }],
    ['P', { ...allow, remember: { scope: 'project', rule } }],
    [
      's npm *',
      { ...allow, remember: { scope: 'session', rule: { tool: 'bash', pattern: 'npm *' } } },
    ],
    ['p rm *', { problem }],
    ['s *', { problem }],
    ['/rules', { problem: 'Answer this first. Commands work after it.' }],
    ['a', noAnswer],
    ['d', deny],
    ['n', deny],
    ['no', deny],
    ['use pnpm', { ...deny, message: 'use pnpm' }],
    ['', again],
    ['x', noAnswer],
  ] as const)('“%s” decides', ([line, decision]) => {
    expect(ask({ toolName: 'bash' }).read(line)).toEqual(decision)
  })

  test('offers the narrowest rule, a wider one as an example, and none if there is none', () => {
    expect(ask({ toolName: 'bash' }).keys.slice(1)).toEqual([
      's yes, and in this session from now on: bash npm test · p in this project',
      'or with a pattern of yours, such as: s npm test *',
    ])
    const without = promptFor({ ...asked, toolName: 'x' }, { style, preview: preview({}) })
    expect([without.keys.length, without.read('s')]).toEqual([1, noAnswer])
  })

  test('a plan is allowed once, not for the session', () => {
    const plan = ask({ kind: 'plan', toolName: 'Plan', args: { at: 'noon' }, plan: 'Dig.\nPlant.' })
    expect(shown(plan)).toEqual(['Approve this plan?', '  │ Dig.', '  │ Plant.', '  │ at: noon'])
    expect(plan.read('y')).toEqual(allow)
    expect(['a', 'e'].map(plan.read)).toEqual([noAnswer, noAnswer])
    expect(plan.read('dig less')).toEqual({ ...deny, message: 'dig less' })
  })

  test('a plan is approved together with the edits, where the agent offers it', () => {
    const plan = ask({ kind: 'plan', plan: 'Dig.', canAcceptEdits: true })
    expect(plan.keys[0]).toContain('e yes, and accept edits')
    expect(plan.read('e')).toEqual({ ...allow, acceptEdits: true })
  })
})

describe('a dialog', () => {
  test('with yes and no accepts nothing else', () => {
    const dialog = { kind: 'confirm', title: 'Sure?', message: 'There is\nno way back.' }
    const sure = ask({ dialog, toolName: 'bash', args: { command: 'ls' } })
    expect(shown(sure)).toEqual(['Sure?', '  │ There is', '  │ no way back.'])
    expect(sure.read('y')).toEqual({ action: 'allow', by })
    expect(sure.read('n')).toEqual({ action: 'deny', by })
    expect(['a', 'maybe', ''].map(sure.read)).toEqual([again, again, again])
  })

  test('with options accepts a number, a name or a first letter', () => {
    const options = ['staging', 'production', 'Preview', 'nowhere']
    const target = ask({ dialog: { kind: 'select', title: 'Which target?', options } })
    expect(shown(target)).toEqual([
      'Which target?',
      '  1 staging',
      '  2 production',
      '  3 Preview',
      '  4 nowhere',
    ])
    const chosen = (value: string) => ({ action: 'allow', value, by })
    expect(['2', 'PREVIEW', 's', 'n'].map(target.read)).toEqual(
      ['production', 'Preview', 'staging', 'nowhere'].map(chosen),
    )
    // Two begin with p, none with y, and no other word is one of them.
    expect(['p', 'y', '5', '', 'elsewhere'].map(target.read)).toEqual(Array(5).fill(again))
    expect(target.read('0')).toEqual({ action: 'deny', by })
  })

  test('for text accepts every line except an empty one', () => {
    const far = ask({ dialog: { kind: 'input', title: 'How far?', placeholder: 'in miles' } })
    expect(shown(far)).toEqual(['How far?', '  │ in miles'])
    expect(far.read('y')).toEqual({ action: 'allow', value: 'y', by })
    expect(far.read('0')).toEqual({ action: 'allow', value: '0', by })
    expect(far.read('')).toEqual({ action: 'deny', by })
  })

  test('shows the text of an editor, and an empty line leaves it as it is', () => {
    const prefill = 'first line\nsecond line'
    const note = ask({ dialog: { kind: 'editor', title: 'Note?', prefill } })
    expect(shown(note)).toEqual(['Note?', '  │ first line', '  │ second line'])
    expect(note.read('')).toEqual({ action: 'allow', value: prefill, by })
    expect(note.read('other')).toEqual({ action: 'allow', value: 'other', by })
    expect(note.read('0')).toEqual({ action: 'deny', by })
  })
})

describe('questions of Claude Code', () => {
  const recorded = () => {
    const { agent, bytes } = recording('claude/2.1.325/bi-ask')
    const [request] = ofType(decodeChunks(agent, [bytes()]), 'approval_request')
    if (!request) throw new Error('no request')
    return request
  }
  const answered = (answers: object) => ({ action: 'allow', answers, by })

  test('are shown with their options', () => {
    expect(shown(promptOf(recorded()))).toEqual([
      'Which colour?',
      '  1 Red: warm',
      '  2 Blue: cold',
    ])
  })

  test.for([
    ['2', 'Blue'],
    ['red', 'Red'],
    ['b', 'Blue'],
    ['rather teal', 'rather teal'],
    ['2026', '2026'],
  ] as const)('“%s” answers', ([line, answer]) => {
    expect(promptOf(recorded()).read(line)).toEqual(answered({ 'Which colour?': [answer] }))
  })

  test('a typo is not an answer; 0 gives no answer', () => {
    const colour = promptOf(recorded())
    expect(['y', '', '3'].map(colour.read)).toEqual([again, again, again])
    const message = 'The person did not want to answer.'
    expect(colour.read('0')).toEqual({ action: 'deny', message, by })
  })

  test('are asked one after the other, some with several answers', () => {
    const optionsOf = (...labels: string[]) => labels.map((label) => ({ label }))
    const first = ask({
      kind: 'question',
      questions: [
        { question: 'Which?', options: optionsOf('Roses', 'Tulips', 'Rue'), multiSelect: true },
        { question: 'When?', options: optionsOf('Now', 'Later, much later') },
      ],
    })
    expect(first.title).toBe('Which? (1 of 2)')
    expect(first.read('1, 4')).toBe(again)
    const answers = (line: string) => {
      const second = first.read(line)
      if (!second || !('read' in second)) throw new Error(`no second question behind ${line}`)
      expect(second.title).toBe('When? (2 of 2)')
      return second.read('later, much later')
    }
    const when = { 'When?': ['Later, much later'] }
    expect(answers('3')).toEqual(answered({ 'Which?': ['Rue'], ...when }))
    expect(answers('1 2')).toEqual(answered({ 'Which?': ['Roses', 'Tulips'], ...when }))
    expect(answers('tulips,2,ivy')).toEqual(answered({ 'Which?': ['Tulips', 'ivy'], ...when }))
  })

  test('without a form show the arguments of the tool', () => {
    const unreadable = ask({ kind: 'question', toolName: 'AskUserQuestion', args: { a: 1 } })
    expect(shown(unreadable)).toEqual(['Allow AskUserQuestion?', '  │ a: 1'])
  })
})
