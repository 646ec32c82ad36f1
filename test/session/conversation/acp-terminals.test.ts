import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { processTable } from '../../../src/process/process-table.ts'
import { onlyResult, openClientSession } from '../../support/acp-client-session.ts'
import { ofType } from '../../support/decoded.ts'
import { eventually } from '../../support/eventually.ts'

const create = (command: string, more: object = {}) =>
  ['request', 'terminal/create', { command, ...more }] as const
const about = (method: string, terminalId = '$T1') =>
  ['request', `terminal/${method}`, { terminalId }] as const
const call = (sessionUpdate: string, fields: object) =>
  ['update', { sessionUpdate, toolCallId: 't1', kind: 'execute', ...fields }] as const
const running = (command: string) =>
  call('tool_call', { title: 'Run', status: 'pending', rawInput: { command } })
const embedded = call('tool_call_update', {
  status: 'in_progress',
  content: [{ type: 'terminal', terminalId: '$T1' }],
})
const ended = call('tool_call_update', { status: 'completed' })
const permission = (command: string) =>
  [
    'request',
    'session/request_permission',
    {
      toolCall: { toolCallId: 't1', kind: 'execute', title: 'Run', rawInput: { command } },
      options: [
        { optionId: 'once', name: 'Once', kind: 'allow_once' },
        { optionId: 'no', name: 'No', kind: 'reject_once' },
      ],
    },
  ] as const

describe('a command in a terminal of Sluice', () => {
  test('runs after an approval, and its output is that of the call that shows it', async () => {
    const { decide, cwd } = openClientSession()
    const command = 'pwd; echo to stderr >&2; exit 3'
    const { events, request, answers } = await decide(
      'allow',
      running(command),
      create(command),
      embedded,
      about('wait_for_exit'),
      about('output'),
      about('release'),
      ended,
      about('output'),
    )
    expect(request).toMatchObject({
      ...{ toolCallId: 't1', toolName: 'run_shell_command', args: { command } },
    })
    const output = `${realpathSync(cwd)}\nto stderr\n`
    expect(answers.map(({ result, error }) => result ?? error?.code)).toEqual([
      { terminalId: 'terminal-1' },
      { exitCode: 3, signal: null },
      { output, truncated: false, exitStatus: { exitCode: 3, signal: null } },
      {},
      -32_002,
    ])
    const live = ofType(events, 'tool_execution_update').map(({ outputDelta }) => outputDelta)
    expect(live.join('')).toBe(output)
    expect(onlyResult(events)).toMatchObject({ content: [{ type: 'text', text: output }] })
    expect(ofType(events, 'tool_execution_end')).toMatchObject([{ exitCode: 3 }])
  })

  test('a denied command does not run', async () => {
    const { decide, cwd } = openClientSession()
    const { answers, events } = await decide('deny', create('touch made'))
    expect(answers).toMatchObject([{ error: { code: -32_603 } }])
    expect(existsSync(join(cwd, 'made'))).toBe(false)
    expect(onlyResult(events)).toMatchObject({ isError: true })
  })

  test('a command is not requested twice: it was allowed as it runs', async () => {
    const { decide, cwd } = openClientSession()
    const command = 'touch made'
    const { events, answers } = await decide(
      ...(['allow', permission(command), create(command), embedded] as const),
      ...[about('wait_for_exit'), ended],
    )
    expect(answers[2]?.result).toEqual({ exitCode: 0, signal: null })
    expect(existsSync(join(cwd, 'made'))).toBe(true)
    expect(ofType(events, 'approval_request')).toHaveLength(1)
  })

  test.each([
    ['another command', { command: 'touch evil' }],
    ['other variables', { env: [{ name: 'PATH', value: '/tmp/evil' }] }],
    ['another directory', { cwd: 'below' }],
  ])('an allowed command does not allow %s', async (_, more) => {
    const { session, approval, cwd } = openClientSession()
    mkdirSync(join(cwd, 'below'))
    const params = { command: 'touch made', ...more }
    const steps = [
      permission('touch made'),
      [
        'request',
        'terminal/create',
        { ...params, ...('cwd' in more && { cwd: join(cwd, 'below') }) },
      ],
    ]
    const from = session.events.length
    const done = session.run(JSON.stringify(steps))
    const first = await approval(from)
    session.answer(first.approvalId, { action: 'allow' })
    const second = await approval(session.events.findIndex(({ seq }) => seq === first.seq) + 1)
    expect(second.args).toMatchObject({ command: params.command })
    session.answer(second.approvalId, { action: 'deny' })
    await done
    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })

  test('arguments are no shell: they are quoted', async () => {
    const { decide } = openClientSession()
    const args = ['%s|', 'a b', "it's", '$HOME', ';ls']
    const { request, answers } = await decide(
      ...(['allow', create('printf', { args })] as const),
      ...[about('wait_for_exit'), about('output')],
    )
    expect(request.args).toEqual({ command: `printf '%s|' 'a b' 'it'\\''s' '$HOME' ';ls'` })
    expect(answers[2]?.result).toMatchObject({ output: "a b|it's|$HOME|;ls|" })
  })

  test('the output limit cuts the beginning, between two characters', async () => {
    const { decide } = openClientSession()
    const { answers } = await decide(
      ...(['allow', create('printf xééé', { outputByteLimit: 5 })] as const),
      ...[about('wait_for_exit'), about('output')],
    )
    expect(answers[2]?.result).toMatchObject({ output: 'éé', truncated: true })
  })

  test('variables of a request do not hide the session', async () => {
    const { decide } = openClientSession()
    const env = [
      { name: 'AGENT_SESSION_TAG', value: 'other' },
      { name: 'SLUICE_TOKEN', value: 'x' },
      { name: 'MINE', value: 'yes' },
    ]
    const command = 'echo "$AGENT_SESSION_TAG/$SLUICE_TOKEN/$MINE"'
    const { answers } = await decide(
      ...(['allow', create(command, { env })] as const),
      ...[about('wait_for_exit'), about('output')],
    )
    expect(answers[2]?.result?.output).toMatch(/^[\w-]{36}\/\/yes\n$/)
  })

  test('does not start outside of the project, and nobody is asked about it', async () => {
    const { run, cwd, home } = openClientSession({ policy: 'allow' })
    symlinkSync(home, join(cwd, 'folder'))
    const { answers, events } = await run(
      create('pwd', { cwd: home }),
      create('pwd', { cwd: join(cwd, 'folder') }),
      create('pwd', { cwd: join(cwd, 'none') }),
      create(''),
      create('pwd', { args: [1] }),
      create('pwd', { env: [{ name: 'A=B', value: '' }] }),
    )
    expect(answers.map(({ error }) => typeof error?.code)).toEqual(Array(6).fill('number'))
    expect(ofType(events, 'approval_request')).toEqual([])
  })

  test('only so many run at once', async () => {
    const { run } = openClientSession({ policy: 'allow' })
    const many = Array.from({ length: 17 }, () => create('sleep 60'))
    const { answers } = await run(...many, about('kill'), about('wait_for_exit'), create('true'))
    expect(answers.slice(0, 16).every(({ result }) => result !== undefined)).toBe(true)
    expect(answers[16]).toMatchObject({ error: { message: expect.stringContaining('16') } })
    expect(answers.slice(17)).toMatchObject([
      { result: {} },
      { result: { exitCode: null, signal: 'SIGTERM' } },
      { result: { terminalId: expect.any(String) } },
    ])
  })
})

const isAlive = (pid: number) => processTable.startTimeOf(pid) !== undefined

describe('a command ends', () => {
  const pidsIn = (cwd: string) =>
    readFileSync(join(cwd, 'pids'), 'utf8').trim().split('\n').map(Number)
  const command = 'echo $$ >> pids; setsid sh -c "echo \\$\\$ >> pids; sleep 300" & sleep 300'

  test('with everything that it started, when the agent releases it', async () => {
    const { run, cwd } = openClientSession({ policy: 'allow' })
    await run(create(`(${command}) & sleep 1; echo`), about('wait_for_exit'), about('release'))
    await eventually(() => expect(pidsIn(cwd).filter(isAlive)).toEqual([]))
  })

  test('with the agent', async () => {
    const { run, cwd, session } = openClientSession({ policy: 'allow' })
    await run(create(command))
    await eventually(() => expect(pidsIn(cwd)).toHaveLength(2))
    await session.stop()
    expect(pidsIn(cwd).filter(isAlive)).toEqual([])
  })

  test('when a person stops the run', async () => {
    const { session, cwd } = openClientSession({ policy: 'allow' })
    const done = session.run(JSON.stringify([create(command), about('wait_for_exit')]))
    await eventually(() => expect(pidsIn(cwd)).toHaveLength(2))
    await session.abort()
    await done
    await eventually(() => expect(pidsIn(cwd).filter(isAlive)).toEqual([]))
  })
})

test('endless output is bounded, live and in the result', async () => {
  const { run } = openClientSession({ policy: 'allow' })
  const { events, answers } = await run(
    ...[create('yes | head -c 20000000'), about('wait_for_exit'), about('output')],
  )
  const shown = ofType(events, 'tool_execution_update').map(({ outputDelta = '' }) => outputDelta)
  expect(shown.join('').length).toBeLessThan(1_100_000)
  expect(String(answers[2]?.result?.output).length).toBe(256 * 1024)
})
