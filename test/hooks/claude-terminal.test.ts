import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { run } from '../support/sluice.ts'
import { type ClaudeRig, openAskingClaude, whyNoTerminal } from './claude-terminal.ts'

const reason = whyNoTerminal()
if (reason !== undefined) console.log(`skipped: approvals of Claude Code in a terminal: ${reason}`)
const withTerminal = test.skipIf(reason !== undefined)

/** Whether the model received a text. */
const wasSent = ({ model }: ClaudeRig, text: string): boolean =>
  model.requests.some(({ body }) => body.includes(text))

withTerminal('a question is answered here: allowed, denied and changed', async () => {
  const { rig, terminal, pending, answer, outcomeOf, has } = await openAskingClaude()
  const { type, shows } = await terminal()
  type('scenario:touch')
  const first = await pending()
  expect(first).toMatchObject({ toolName: 'Bash', toolCallId: 'toolu_0001_0', kind: 'tool' })
  await shows('Do you want to proceed?')
  await answer(first, { action: 'allow' })
  await shows('It is over.')
  expect(has('made.txt')).toBe(true)
  expect(await outcomeOf(first)).toMatchObject({ action: 'allow', outcome: 'answered', by: 'test' })

  type('/clear')
  type('scenario:touch')
  await answer(await pending(), { action: 'deny', message: 'Not on a Friday.' })
  await shows(/Denied by PermissionRequest hook/)
  await eventually(() => expect(wasSent(rig, 'Not on a Friday.')).toBe(true))

  type('/clear')
  type('scenario:touch')
  const third = await pending()
  const updatedInput = { command: 'touch changed.txt', description: 'Make another' }
  await answer(third, { action: 'allow', updatedInput })
  await eventually(() => expect(has('changed.txt')).toBe(true))
})

withTerminal('the terminal answers first, with yes and with Esc', async () => {
  const { terminal, pending, answer, outcomeOf, has } = await openAskingClaude()
  const { type, key, shows, text } = await terminal()
  type('scenario:touch')
  const first = await pending()
  await shows('Do you want to proceed?')
  await eventually(() => {
    // A prompt that has just appeared takes no key yet.
    if (text().includes('Do you want to proceed?')) key('Enter')
    expect(has('made.txt')).toBe(true)
  })
  expect(await outcomeOf(first)).toEqual({ action: 'allow', outcome: 'answered', by: 'terminal' })
  await expect(answer(first, { action: 'deny' })).rejects.toMatchObject({ status: 409 })

  await shows('It is over.')
  type('/clear')
  type('scenario:touch')
  const second = await pending()
  await shows('Do you want to proceed?')
  key('Escape')
  expect(await outcomeOf(second)).toEqual({ action: 'deny', outcome: 'answered', by: 'terminal' })
})

withTerminal('an answer that allows later calls, and one that stops the agent', async () => {
  const { terminal, pending, answer, has } = await openAskingClaude()
  const { type, shows } = await terminal()
  type('scenario:twice')
  const first = await pending()
  const always = first.options?.find(({ label }) => label.includes('acceptEdits'))
  await answer(first, { action: 'allow', optionId: always?.id ?? '' })
  await shows('It is over.')
  expect(has('made-again.txt')).toBe(true)
  await shows(/accept edits on/)

  type('/clear')
  type('scenario:other-tool')
  await answer(await pending(), { action: 'deny', optionId: 'deny-and-stop' })
  await shows(/Interrupted|interrupted/)
})

withTerminal('questions of the agent are answered here', async () => {
  const { rig, terminal, pending, answer, outcomeOf } = await openAskingClaude()
  const { type, shows } = await terminal()
  type('scenario:question')
  const question = await pending()
  expect(question).toMatchObject({ kind: 'question', toolName: 'AskUserQuestion' })
  await answer(question, { action: 'allow', answers: { 'Which colour?': ['Blue'] } })
  await shows('It is over.')
  expect(wasSent(rig, 'Blue')).toBe(true)
  expect(await outcomeOf(question)).toMatchObject({ action: 'allow', outcome: 'answered' })
})

withTerminal('a plan is approved here', async () => {
  const { terminal, pending, answer, outcomeOf } = await openAskingClaude()
  const { type, shows } = await terminal('--permission-mode', 'plan')
  type('scenario:plan')
  const plan = await pending()
  expect(plan).toMatchObject({ kind: 'plan', toolName: 'ExitPlanMode' })
  await answer(plan, { action: 'allow' })
  await shows('It is over.')
  expect(await outcomeOf(plan)).toMatchObject({ action: 'allow', outcome: 'answered' })
})

withTerminal('without the server, the terminal asks; what was open is closed', async () => {
  const { stop, terminal, pending, outcomeOf, has, hooks, rig } = await openAskingClaude()
  const { type, key, shows } = await terminal()
  type('scenario:touch')
  const open = await pending()
  const start = await stop()
  await shows('Do you want to proceed?')
  key('Enter')
  await shows('It is over.')
  expect(has('made.txt')).toBe(true)
  await start()
  expect(await outcomeOf(open)).toMatchObject({ action: 'deny', outcome: 'cancelled' })
  await hooks('remove', 'claude', '--yes')
  expect(readFileSync(join(rig.home, '.claude/settings.json'), 'utf8')).not.toContain('sluice')
})

withTerminal('an agent that is killed takes its question with it', async () => {
  const { terminal, pending, outcomeOf } = await openAskingClaude()
  const { type, close } = await terminal()
  type('scenario:touch')
  const open = await pending()
  close()
  expect(await outcomeOf(open)).toMatchObject({ action: 'deny', outcome: 'agent_gone' })
})

withTerminal('a run that nobody watches waits for an answer, with a deadline', async () => {
  const { rig, pending, answer, has } = await openAskingClaude()
  const { bin, env, cwd } = rig
  const done = run(bin, ['-p', 'scenario:touch', '--model', 'claude-sonnet-4-5'], { env, cwd })
  const question = await pending()
  expect(question.deadline).toBeGreaterThan(Date.now() + 590_000)
  expect(question.deadline).toBeLessThan(Date.now() + 600_000)
  await answer(question, { action: 'allow' })
  expect((await done).stdout).toContain('It is over.')
  expect(has('made.txt')).toBe(true)
})

withTerminal('a session of Sluice is asked once', async () => {
  const { server, rig, pending, answer } = await openAskingClaude()
  const { client } = server()
  const project = await client.projects.create({ path: rig.cwd, name: 'project' })
  const session = await client.sessions.create({ agent: 'claude', projectId: project.id })
  await client.sessions.prompt(session.id, 'scenario:touch')
  const question = await pending()
  expect(question.sessionId).toBe(session.id)
  await answer(question, { action: 'allow' })
  await eventually(async () => {
    const { events } = await client.sessions.events(session.id)
    expect(events.some(({ type }) => type === 'agent_end')).toBe(true)
  })
  expect((await client.sessions.list()).sessions).toHaveLength(1)
})
