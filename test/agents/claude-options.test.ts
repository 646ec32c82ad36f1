import { expect, test } from 'vitest'
import { createClaudeDecoder } from '../../src/agents/claude/decode.ts'
import { claudeProtocol } from '../../src/agents/claude/live.ts'
import type { ApprovalReply } from '../../src/agents/live.ts'
import type { AgentEvent, EventOf } from '../../src/events/types.ts'

const rule = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }],
  behavior: 'allow',
  destination: 'localSettings',
}
const suggestions = [
  rule,
  { type: 'addDirectories', directories: ['/srv/data'], destination: 'session' },
  { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
  { ...rule, behavior: 'deny' },
  { type: 'somethingNew', destination: 'session' },
]

const requested = (tool: string): EventOf<'approval_request'> => {
  const events: AgentEvent[] = createClaudeDecoder().push({
    type: 'control_request',
    request_id: 'r1',
    request: {
      subtype: 'can_use_tool',
      tool_name: tool,
      input: { command: 'npm test' },
      permission_suggestions: suggestions,
    },
  })
  const request = events.find((event) => event.type === 'approval_request')
  if (!request) throw new Error('no request')
  return request
}

test('the suggestions of the agent are choices, which name where they are stored', () => {
  expect(requested('Bash').options?.map(({ kind, label }) => [kind, label])).toEqual([
    ['allow_once', 'Allow'],
    [
      'allow_always',
      'Always allow Bash(npm test:*) in this project (stored in .claude/settings.local.json)',
    ],
    ['allow_always', 'Allow access to /srv/data in this session'],
    ['allow_always', 'Allow, and switch to the mode acceptEdits in this session'],
    ['reject_once', 'Deny'],
    ['stop', 'Deny and stop'],
  ])
  expect(requested('AskUserQuestion').options).toBeUndefined()
})

test.each<[ApprovalReply, object]>([
  [{ action: 'allow' }, { behavior: 'allow', updatedInput: { command: 'npm test' } }],
  [
    { action: 'allow', optionId: 'suggestion-0' },
    { behavior: 'allow', updatedInput: { command: 'npm test' }, updatedPermissions: [rule] },
  ],
  [{ action: 'deny' }, { behavior: 'deny', message: 'Denied.' }],
  [
    { action: 'deny', optionId: 'deny-and-stop' },
    { behavior: 'deny', message: 'Denied.', interrupt: true },
  ],
])('the answer %j reaches the agent', (answer, response) => {
  const command = { type: 'answer', id: 'c', request: requested('Bash'), answer } as const
  expect(claudeProtocol.encode(command)).toMatchObject([{ response: { response } }])
  expect(JSON.stringify(claudeProtocol.encode(command))).toContain(
    JSON.stringify(response).slice(1, -1),
  )
})

test('commands, skills and subagents are listed, with descriptions if the agent gives them', () => {
  const decoder = createClaudeDecoder()
  const commands = [{ name: 'review', description: 'Reviews.\nIn detail.', argumentHint: '[pr]' }]
  const response = { commands, agents: [{ name: 'Explore', description: 'x'.repeat(300) }] }
  const reply = { subtype: 'success', request_id: 'quiet-1', response }
  // The session begins with the line that names its model.
  expect(decoder.push({ type: 'control_response', response: reply })).toEqual([])
  const events = decoder.push({
    type: 'system',
    subtype: 'init',
    slash_commands: ['review', 'deploy', 'color', '__internal'],
    terminal_slash_commands: ['color'],
    skills: ['deploy'],
    agents: ['Explore'],
  })
  const listed = events.find((event) => event.type === 'session_start')
  expect(listed).toMatchObject({
    commands: [
      { name: 'review', kind: 'command', description: 'Reviews.', hint: '[pr]' },
      { name: 'deploy', kind: 'skill' },
      { name: 'Explore', kind: 'agent', description: `${'x'.repeat(199)}…` },
    ],
  })
})

test('a description that comes late leaves a skill a skill', () => {
  const decoder = createClaudeDecoder()
  const names = { slash_commands: ['deploy', 'color'], terminal_slash_commands: ['color'] }
  decoder.push({ type: 'system', subtype: 'init', ...names, skills: ['deploy'] })
  const response = { commands: [{ name: 'deploy', description: 'Deploys.' }, { name: 'color' }] }
  const reply = { subtype: 'success', request_id: 'quiet-commands', response }
  expect(decoder.push({ type: 'control_response', response: reply })).toEqual([
    {
      type: 'session_update',
      commands: [{ name: 'deploy', kind: 'skill', description: 'Deploys.' }],
    },
  ])
})
