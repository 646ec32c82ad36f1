import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openSqliteLog } from '../../src/log/index.ts'
import { all } from '../log/samples.ts'
import { ofType } from '../support/decoded.ts'
import { eventually } from '../support/eventually.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import { root, sluice } from '../support/sluice.ts'

if (ptyMaker.reason !== undefined) console.log(`skipped: input of a chat: ${ptyMaker.reason}`)

const enter = '\r'
const up = '\x1b[A'
const controlD = '\x04'
const paste = (text: string) => `\x1b[200~${text}\x1b[201~`

describe.skipIf(ptyMaker.reason !== undefined)('what is typed and pasted in a chat', () => {
  let data = ''
  let project = ''
  let end: (() => void) | undefined

  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'sluice-input-'))
    project = mkdtempSync(join(tmpdir(), 'sluice-input-project-'))
  })
  afterEach(() => {
    end?.()
    for (const each of [data, project]) rmSync(each, { recursive: true, force: true })
  })

  const env = { ...process.env, SLUICE_DEMO_PACE: '2', NO_COLOR: '1' }
  const args = () => ['chat', 'demo', '--cwd', project, '--data', data]
  const chat = async () => {
    const argv = [process.execPath, join(root, 'src/cli/main.js'), ...args()]
    const terminal = startInTerminal(argv, { cwd: project, env })
    end = terminal.kill
    await terminal.shows('› ')
    return terminal
  }

  const stored = async () => {
    const log = await openSqliteLog(data)
    const records = await log.sessions.list()
    const events = []
    for (const { id } of records) events.push(...(await all(log.read(id, 0))))
    await log.close()
    return events
  }
  const messages = async () =>
    ofType(await stored(), 'message_end')
      .filter(({ message }) => message.role === 'user')
      .map(({ message }) => message.content.map((block) => ('text' in block ? block.text : '')))

  test('a paste of several lines is one message, and so is a line that goes on', async () => {
    const terminal = await chat()
    terminal.type(paste('think\r\nof one\rthing'))
    let seen = await terminal.shows('thing')
    terminal.type(enter)
    seen = await terminal.shows('› ', seen)
    terminal.type(`think\\${enter}`)
    terminal.type(`twice${enter}`)
    seen = await terminal.shows('twice', seen)
    await terminal.shows('› ', seen)
    terminal.type(controlD)
    expect(await terminal.ended).toBe(0)
    expect(await messages()).toEqual([['think\nof one\nthing'], ['think\ntwice']])
  })

  test('a pasted y never answers an approval; a typed y does', async () => {
    const terminal = await chat()
    terminal.type(`tool${enter}`)
    let seen = await terminal.shows('answer › ')
    // In pieces, with an end marker inside.
    for (const piece of ['\x1b[20', '0~', '\x1b[201~', 'y', enter, '\x1b[201', '~'])
      terminal.type(piece)
    seen = await terminal.shows('y', seen)
    // The person looks at it and presses Enter: pasted text is still no answer.
    const pastedAt = performance.now()
    await eventually(() => expect(performance.now() - pastedAt).toBeGreaterThan(500))
    terminal.type(enter)
    seen = await terminal.shows('Pasted text cannot answer this. Type the answer.', seen)
    seen = await terminal.shows('answer › ', seen)
    terminal.type(`y${enter}`)
    seen = await terminal.shows('It was allowed and is done.', seen)
    await terminal.shows('› ', seen)
    terminal.type(controlD)
    await terminal.ended
    expect(ofType(await stored(), 'approval_resolved')).toMatchObject([{ action: 'allow' }])
  })

  test('messages come back in a later chat; answers and lines that begin with a blank do not', async () => {
    const first = await chat()
    first.type(`tool${enter}`)
    let seen = await first.shows('answer › ')
    first.type(`not now${enter}`)
    seen = await first.shows('It was denied', seen)
    seen = await first.shows('› ', seen)
    first.type(` think${enter}`)
    seen = await first.shows('think', seen)
    await first.shows('› ', seen)
    first.type(controlD)
    await first.ended
    expect(readFileSync(join(data, 'chat-history.jsonl'), 'utf8')).toBe('"tool"\n')
    const second = await chat()
    second.type(up)
    await second.shows('tool')
    second.type(controlD)
  })

  test('lines from a pipe are one message each', async () => {
    const { code } = await sluice(args(), { env, input: 'think\nthink again\n' })
    expect(code).toBe(0)
    expect((await messages()).flat()).toEqual(['think', 'think again'])
  })
})
