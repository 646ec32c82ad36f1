import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { listSqliteSessions, openSqliteLog } from '../../src/log/index.ts'
import { all } from '../log/samples.ts'
import { ofType } from '../support/decoded.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { root, run, sluice } from '../support/sluice.ts'

if (ptyMaker.reason !== undefined) console.log(`skipped: chat in a terminal: ${ptyMaker.reason}`)

const enter = '\r'
const altEnter = '\x1b\r'
const controlC = '\x03'
const controlD = '\x04'

/** `sluice chat demo` in a real terminal: keys in, a screen out. */
describe.skipIf(ptyMaker.reason !== undefined)('sluice chat in a terminal', () => {
  let data = ''
  let project = ''
  let end: (() => void) | undefined

  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'sluice-chat-'))
    project = mkdtempSync(join(tmpdir(), 'sluice-chat-project-'))
  })
  afterEach(() => {
    end?.()
    for (const each of [data, project]) rmSync(each, { recursive: true, force: true })
  })

  const env = { ...process.env, SLUICE_DEMO_PACE: '5', NO_COLOR: '1' }

  const chat = async (cwd = project, pace = '5') => {
    const main = join(root, 'src/cli/main.js')
    const argv = [process.execPath, main, 'chat', 'demo', '--cwd', cwd, '--data', data]
    const terminal = startInTerminal(argv, {
      cwd: project,
      env: { ...env, SLUICE_DEMO_PACE: pace },
    })
    end = terminal.kill
    await terminal.shows('› ')
    return terminal
  }

  /** All that was stored, once the chat has let go of it. */
  const stored = async () => {
    const log = await openSqliteLog(data)
    const [record] = await log.sessions.list()
    const events = await all(log.read(record?.id ?? '', 0))
    await log.close()
    return events
  }

  test('Enter sends, then steers; Alt-Enter queues a follow-up', async () => {
    // Slow enough for messages to arrive during the run, also on a busy machine.
    const terminal = await chat(project, '60')
    terminal.type(`parallel${enter}`)
    let seen = await terminal.shows('Two tools')
    terminal.type(`think${altEnter}`)
    terminal.type(`rather fail${enter}`)
    seen = await terminal.shows('You steered me: “rather fail”.', seen)
    seen = await terminal.shows('Done.', seen)
    await terminal.shows('› ', seen)
    terminal.type(controlC)
    await terminal.ended

    const events = await stored()
    // The follow-up has a run of its own.
    expect(ofType(events, 'agent_end')).toMatchObject([
      { stopReason: 'stop' },
      { stopReason: 'stop' },
    ])
    const queued = ofType(events, 'queue_update').map((event) => event.queued)
    expect(queued).toContainEqual(
      expect.objectContaining({ steering: ['rather fail'], followUp: ['think'] }),
    )
    expect(queued.at(-1)).toEqual({ steering: [], followUp: [] })
    const said = ofType(events, 'message_end').filter(({ message }) => message.role === 'user')
    expect(said.map(({ message }) => message.content)).toMatchObject([
      [{ text: 'parallel' }],
      [{ text: 'rather fail' }],
      [{ text: 'think' }],
    ])
  })

  test('Ctrl-C stops the run, and then leaves', async () => {
    const terminal = await chat()
    terminal.type(`long${enter}`)
    let seen = await terminal.shows('Markdown')
    terminal.type(controlC)
    seen = await terminal.shows('› ', seen)
    terminal.type(controlC)
    await terminal.ended
    expect(terminal.screen().slice(seen)).toContain('Duration')
    expect(ofType(await stored(), 'agent_end')).toMatchObject([{ stopReason: 'aborted' }])
  })

  test('a second Ctrl-C leaves at once, even if the agent does not stop', async () => {
    const terminal = await chat()
    terminal.type(`long${enter}`)
    await terminal.shows('Markdown')
    const [{ pid = 0 } = {}] = await listSqliteSessions(data)
    process.kill(pid, 'SIGSTOP')
    onTestFinished(() => void run('kill', ['-9', String(pid)]))
    const asked = performance.now()
    terminal.type(`${controlC}${controlC}`)
    await terminal.ended
    expect(performance.now() - asked).toBeLessThan(8000) // the abort alone takes ten seconds
    expect(ofType(await stored(), 'agent_end')).toMatchObject([{ interrupted: true }])
  }, 20_000)

  test('asks before a tool runs, and y allows it', async () => {
    const terminal = await chat()
    terminal.type(`tool${enter}`)
    let seen = await terminal.shows('answer › ')
    terminal.type(`y${enter}`)
    seen = await terminal.shows('It was allowed and is done.', seen)
    await terminal.shows('› ', seen)
    terminal.type(controlC)
    await terminal.ended
    expect(ofType(await stored(), 'approval_resolved')).toMatchObject([
      { action: 'allow', outcome: 'answered', by: 'person' },
    ])
  })

  test('n denies it, and other text is sent to the agent', async () => {
    const terminal = await chat()
    terminal.type(`tool${enter}`)
    let seen = await terminal.shows('answer › ')
    terminal.type(`n${enter}`)
    seen = await terminal.shows('so it did not run.', seen)
    seen = await terminal.shows('› ', seen)
    terminal.type(`tool${enter}`)
    seen = await terminal.shows('answer › ', seen)
    terminal.type(`rather not${enter}`)
    seen = await terminal.shows('It was denied (“rather not”)', seen)
    await terminal.shows('› ', seen)
    terminal.type(controlC)
    await terminal.ended
    expect(ofType(await stored(), 'approval_resolved')).toMatchObject([
      { action: 'deny', outcome: 'answered', by: 'person' },
      { action: 'deny', outcome: 'answered', by: 'person', message: 'rather not' },
    ])
  })

  test('s allows it for the session: the same call is not asked again', async () => {
    const terminal = await chat()
    terminal.type(`tool${enter}`)
    let seen = await terminal.shows('answer › ')
    terminal.type(`s${enter}`)
    seen = await terminal.shows('It was allowed and is done.', seen)
    seen = await terminal.shows('› ', seen)
    terminal.type(`tool${enter}`)
    const before = seen
    seen = await terminal.shows('It was allowed and is done.', seen)
    expect(terminal.screen().slice(before)).not.toContain('Allow bash?')
    await terminal.shows('› ', seen)
    terminal.type(controlC)
    await terminal.ended
    expect(ofType(await stored(), 'approval_resolved')).toMatchObject([
      { action: 'allow', outcome: 'answered', by: 'person' },
      { action: 'allow', outcome: 'policy', by: 'rule' },
    ])
  })

  test('an unknown key repeats the choices', async () => {
    const terminal = await chat()
    terminal.type(`tool${enter}`)
    let seen = await terminal.shows('answer › ')
    terminal.type(`q${enter}`)
    seen = await terminal.shows('answer › ', seen)
    terminal.type(`y${enter}`)
    await terminal.shows('It was allowed and is done.', seen)
  })

  test('Ctrl-D denies the approval, and leaves when the run is over', async () => {
    const terminal = await chat()
    terminal.type(`tool${enter}`)
    const seen = await terminal.shows('answer › ')
    terminal.type(controlD)
    await terminal.shows('The chat ends when the run does. Ctrl-C stops the run.', seen)
    expect(await terminal.ended).toBe(0)
    expect(ofType(await stored(), 'approval_resolved')).toMatchObject([
      { action: 'deny', message: 'Nobody is there to answer.' },
    ])
    expect(ofType(await stored(), 'agent_end')).toMatchObject([{ stopReason: 'stop' }])
  })

  test('a message that cannot be sent is reported, and the next one can be typed', async () => {
    const terminal = await chat(join(project, 'nowhere'))
    terminal.type(`hello${enter}`)
    const seen = await terminal.shows('✗ The working directory')
    await terminal.shows('› ', seen)
    terminal.type(controlD)
    expect(await terminal.ended).toBe(1)
  })

  test('its session is listed while it runs', async () => {
    const terminal = await chat()
    terminal.type(`long${enter}`)
    const seen = await terminal.shows('Markdown')
    const { code, stdout, stderr } = await sluice(['sessions', '--data', data, '--json'], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({ agent: 'demo', state: 'running', title: 'long' })
    terminal.type(controlC)
    await terminal.shows('› ', seen)
    terminal.type(controlC)
    await terminal.ended
  })
})
