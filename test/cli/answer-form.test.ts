import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { ptyMaker, startInTerminal } from '../support/pty.ts'
import {
  createServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../support/server-process.ts'
import { root, sluice } from '../support/sluice.ts'

const program = [process.execPath, join(root, 'test/support/form-agent.js')]
let directories: ReturnType<typeof createServerDirectories>

beforeAll(() => {
  directories = createServerDirectories()
  const agents = [{ name: 'gardener', title: 'Gardener', command: program }]
  mkdirSync(directories.data, { recursive: true, mode: 0o700 })
  writeFileSync(join(directories.data, 'agents.json'), JSON.stringify({ agents }))
})
afterAll(() => directories.remove())

describe('a form of an agent over ACP, on a server', () => {
  let server: ServerProcess
  let projectId: string
  beforeAll(async () => {
    server = await startServerProcess(directories, {
      args: ['--root', directories.projects, '--sandbox', 'off'],
    })
    const project = { name: 'garden', path: directories.projects }
    projectId = (await server.client.projects.create(project)).id
  })
  afterAll(async () => {
    server.child.kill()
    await server.exited
  })

  const ask = async (text: string) => {
    const { sessions } = server.client
    const { id } = await sessions.create({ projectId, agent: 'gardener' })
    await sessions.prompt(id, text)
    const [approval] = await eventually(async () => {
      const list = await server.client.approvals.list()
      expect(list).toHaveLength(1)
      return list
    })
    if (!approval) return expect.unreachable('nothing waits')
    const said = async () => JSON.stringify((await sessions.messages(id)).messages)
    return { approval, said }
  }
  const answer = (id: string, ...args: string[]) =>
    sluice(['answer', id, ...args, '--data', directories.data])

  test('is listed and answered in the terminal, and answers that do not fit are refused', async () => {
    const { approval, said } = await ask('form')
    const { stdout } = await sluice(['approvals', '--data', directories.data])
    expect(stdout).toContain('Gardener asks for input')
    expect(stdout).toContain('About your garden.')
    expect(stdout).toContain('1. Name: How is it called?')
    expect(stdout).toContain('2. Size [a whole number, 1 to 5]')
    expect(stdout).toContain('3. Colour [red | blue; optional]')
    const id = approval.approvalId
    const few = await answer(id, '--answer', 'Rose')
    expect(few).toMatchObject({ code: 2 })
    expect(few.stderr).toContain('There are 3 questions, and 1 answer.')
    const large = await answer(id, '--answer', 'Rose', '--answer', '9', '--answer', '')
    expect(large.stderr).toContain('Size: The highest number is 5.')
    const other = await answer(id, '--answer', 'Rose', '--answer', '3', '--answer', 'green')
    expect(other.stderr).toContain('Choose one of: red, blue.')
    expect((await answer(id, '--allow')).stderr).toContain('--answer')
    const hash = approval.hash ?? ''
    await expect(
      server.client.approvals.answer(id, { action: 'allow', hash, answers: { Size: ['9'] } }),
    ).rejects.toThrow('Name: An answer is needed.')
    const done = await answer(id, '--answer', 'Rose', '--answer', '3', '--answer', 'b')
    expect(done).toMatchObject({ code: 0 })
    await eventually(async () =>
      expect(await said()).toContain(
        String.raw`got {\"action\":\"accept\",\"content\":{\"name\":\"Rose\",\"size\":3,\"colour\":\"blue\"}}`,
      ),
    )
  })

  test('is declined, or cancelled', async () => {
    const { approval, said } = await ask('form')
    expect(await answer(approval.approvalId, '--option', 'cancel')).toMatchObject({ code: 0 })
    await eventually(async () => expect(await said()).toContain(String.raw`\"cancel\"`))
  })

  test('an address is shown with its host, and --allow says that it was opened', async () => {
    const { approval, said } = await ask('url')
    const { stdout } = await sluice(['approvals', '--data', directories.data])
    expect(stdout).toContain('https://example.org/login?state=1')
    expect(await answer(approval.approvalId, '--allow')).toMatchObject({ code: 0 })
    await eventually(async () => expect(await said()).toContain(String.raw`\"accept\"`))
  })
})

if (ptyMaker.reason !== undefined) console.log(`skipped: forms in a chat: ${ptyMaker.reason}`)

describe.skipIf(ptyMaker.reason !== undefined)('a form in a chat', () => {
  const chat = () => {
    const { data, projects } = directories
    const main = join(root, 'src/cli/main.js')
    const place = ['--cwd', projects, '--data', data, '--sandbox', 'off']
    const argv = [process.execPath, main, 'chat', 'gardener', ...place]
    return startInTerminal(argv, { cwd: projects, env: { ...process.env, NO_COLOR: '1' } })
  }

  test('is asked field by field, and shown once more before it is sent', async () => {
    const terminal = chat()
    try {
      let seen = await terminal.shows('› ')
      const reply = async (text: string, question: string) => {
        seen = await terminal.shows(question, seen)
        seen = await terminal.shows('answer › ', seen)
        terminal.type(`${text}\r`)
      }
      terminal.type('form\r')
      seen = await terminal.shows('About your garden.', seen)
      await reply('Rose', 'answer')
      await reply('9', 'Size (2 of 3)')
      await reply('3', 'The highest number is 5.')
      await reply('', 'Colour (3 of 3)')
      await reply('n', 'Send these answers?')
      await reply('', 'Name: How is it called? (1 of 3)')
      await reply('4', 'Size (2 of 3)')
      await reply('1', 'Colour (3 of 3)')
      await reply('y', 'Send these answers?')
      await terminal.shows('{"name":"Rose","size":4,"colour":"red"}', seen)
    } finally {
      await terminal.kill()
    }
  })

  test('an address is shown with its host', async () => {
    const terminal = chat()
    try {
      let seen = await terminal.shows('› ')
      terminal.type('url\r')
      seen = await terminal.shows('Open this address at example.org', seen)
      seen = await terminal.shows('https://example.org/login?state=1', seen)
      seen = await terminal.shows('answer › ', seen)
      terminal.type('y\r')
      await terminal.shows('got {"action":"accept"}', seen)
    } finally {
      await terminal.kill()
    }
  })
})
