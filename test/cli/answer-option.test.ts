import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSandbox } from '../agents/sandbox.ts'
import { agentProgram } from '../support/agent-program.ts'
import { configureAgents } from '../support/configured-agents.ts'
import { eventually } from '../support/eventually.ts'
import {
  createServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../support/server-process.ts'
import { root, sluice } from '../support/sluice.ts'

let directories: ReturnType<typeof createServerDirectories>
let sandbox: ReturnType<typeof createSandbox>
let server: ServerProcess

beforeEach(async () => {
  directories = createServerDirectories()
  sandbox = createSandbox('asking-agent')
  const argv = [process.execPath, `${root}/test/support/asking-agent.js`]
  const env = { ...process.env, CLAUDE_BIN: agentProgram({ ...sandbox, argv }) }
  configureAgents(directories.data, { mole: 'Garden Mole' })
  server = await startServerProcess(directories, { env, args: ['--root', directories.projects] })
})
afterEach(async () => {
  server.child.kill()
  await server.exited
  sandbox.remove()
  directories.remove()
})

const rule = {
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }],
  behavior: 'allow',
  destination: 'localSettings',
}

test('what the agent offers is listed, and chosen by its id', async () => {
  const { projects, sessions } = server.client
  const project = await projects.create({ name: 'garden', path: directories.projects })
  const { id } = await sessions.create({ projectId: project.id, agent: 'claude' })
  const call = { name: 'Bash', input: { command: 'npm test' }, suggestions: [rule] }
  await sessions.prompt(id, JSON.stringify({ calls: [call] }))
  const here = ['--data', directories.data]
  const listed = await eventually(async () => {
    const { stdout } = await sluice(['approvals', ...here])
    expect(stdout).toContain('npm test')
    return stdout
  })
  expect(listed.replaceAll(/\s+/g, ' ')).toContain(
    '--option suggestion-0: Always allow Bash(npm test:*) in this project',
  )
  const approvalId = listed.slice(0, 8)
  const refused = await sluice(['answer', approvalId, '--option', 'nothing', ...here])
  expect(refused).toMatchObject({ code: 2 })
  expect(refused.stderr).toContain('suggestion-0')
  const both = await sluice(['answer', approvalId, '--option', 'x', '--allow', ...here])
  expect(both).toMatchObject({ code: 2 })
  const chosen = await sluice(['answer', approvalId, '--option', 'suggestion-0', ...here])
  expect(chosen).toMatchObject({ code: 0 })
  await eventually(async () => {
    const { messages } = await sessions.messages(id)
    expect(JSON.stringify(messages)).toContain('updatedPermissions')
  })
})

test('every choice of an agent that speaks ACP is listed with its own name', async () => {
  const { projects, sessions } = server.client
  const project = await projects.create({ name: 'garden', path: directories.projects })
  const { id } = await sessions.create({ projectId: project.id, agent: 'mole' })
  await sessions.prompt(id, 'ask twice')
  const here = ['--data', directories.data]
  const listed = await eventually(async () => {
    const { stdout } = await sluice(['approvals', ...here])
    expect(stdout).toContain('--option')
    return stdout
  })
  for (const line of [
    '--option file: Only this file',
    '--option folder: The whole folder, once',
    '--option no: Reject',
    '--option never: Never in this folder',
  ])
    expect(listed).toContain(`  ${line}\n`)
  await sluice(['answer', listed.slice(0, 8), '--option', 'folder', ...here])
  await eventually(async () => {
    const { messages } = await sessions.messages(id)
    expect(JSON.stringify(messages)).toContain('chosen: folder')
  })
})

test('a steer is refused with the title of the agent', async () => {
  const { projects, sessions } = server.client
  const project = await projects.create({ name: 'garden', path: directories.projects })
  const session = await sessions.create({ projectId: project.id, agent: 'mole' })
  expect(session).toMatchObject({ agent: 'mole', agentTitle: 'Garden Mole' })
  await sessions.prompt(session.id, 'wait')
  await expect(sessions.steer(session.id, 'now')).rejects.toMatchObject({
    status: 422,
    detail: 'Garden Mole does not support messages during a run.',
  })
})
