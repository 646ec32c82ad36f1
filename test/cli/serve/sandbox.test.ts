import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { StreamEvent } from '../../../src/client/stream-events.ts'
import { processTable } from '../../../src/process/process-table.ts'
import { claudeSetup } from '../../agents/claude.ts'
import { piSetup } from '../../agents/pi.ts'
import type { AgentSetup } from '../../agents/sandbox.ts'
import { startModel } from '../../model/server.ts'
import { agentProgram } from '../../support/agent-program.ts'
import { findBubblewrap } from '../../support/bubblewrap.ts'
import {
  createServerDirectories,
  type ServerDirectories,
  type ServerProcess,
  startServerProcess,
} from '../../support/server-process.ts'
import { processesOfSession } from '../../support/session-processes.ts'

const bubblewrap = await findBubblewrap()
if (bubblewrap.reason !== undefined)
  console.log(`skipped: agents in a sandbox: ${bubblewrap.reason}`)
const { setup: claude, ...absent } = claudeSetup('http://127.0.0.1')
claude?.remove()
if ('reason' in absent) console.log(`skipped: Claude Code in a sandbox: ${absent.reason}`)

interface RealAgent {
  agent: string
  model: string
  /** The name of its shell tool. */
  shell: string
  setUp(modelUrl: string): AgentSetup
}

const pi = (version: '0.73' | '0.87'): [string, RealAgent] => [
  `Pi ${version}`,
  {
    agent: 'pi',
    model: 'fake/fake-sonnet',
    shell: 'bash',
    setUp(url) {
      const setup = piSetup(version, url)
      setup.env.PI_BIN = agentProgram(setup)
      return setup
    },
  },
]

const claudeCode: [string, RealAgent] = [
  'Claude Code',
  {
    agent: 'claude',
    model: 'claude-sonnet-4-5',
    shell: 'Bash',
    setUp(url) {
      const { setup } = claudeSetup(url)
      if (!setup) throw new Error('CLAUDE_BIN went away')
      setup.env.CLAUDE_BIN = process.env.CLAUDE_BIN ?? ''
      return setup
    },
  },
]

const realAgents = [pi('0.73'), pi('0.87'), ...(claude ? [claudeCode] : [])]

describe.skipIf(bubblewrap.reason !== undefined).each(realAgents)(
  'a real %s behind a server',
  (_, { agent, model: modelName, setUp, shell }) => {
    const cleanUp: (() => unknown)[] = []
    afterEach(async () => {
      for (const undo of cleanUp.splice(0).reverse()) await undo()
    })

    const start = async (...args: string[]) => {
      const directories = createServerDirectories()
      cleanUp.push(directories.remove)
      const model = await startModel()
      cleanUp.push(model.close)
      const setup = setUp(model.url)
      cleanUp.push(setup.remove)
      const env = { ...setup.env, PATH: bubblewrap.path, SLUICE_TOKEN: 'a-token' }
      const server = await startServerProcess(directories, { env, args })
      cleanUp.push(() => (server.child.exitCode === null ? server.stop('SIGKILL') : undefined))
      const { client } = server
      const project = await client.projects.create({ name: 'P', path: directories.projects })
      const { id } = await client.sessions.create({
        projectId: project.id,
        agent,
        model: modelName,
      })
      return { directories, server, id, setup }
    }

    /** Lets the agent run the script `test.sh`, and returns the events of the run. */
    const runScript = async ({ client }: ServerProcess, id: string) => {
      const events: StreamEvent[] = []
      for await (const event of client.sessions.stream(id)) {
        events.push(event)
        if (event.type === 'snapshot') await client.sessions.prompt(id, 'scenario:script please')
        if (event.type === 'approval_request')
          await client.approvals.answer(event.approvalId, { action: 'allow' })
        if (event.type === 'agent_end') break
      }
      return events
    }

    test('works as usual, while an allowed script finds nothing that lets it in', async () => {
      const { directories, server, id } = await start('--sandbox', 'on')
      writeFileSync(join(directories.projects, 'test.sh'), attack(directories, server))
      const before = await server.client.keys.list()
      const events = await runScript(server, id)

      const result = events.find((event) => event.type === 'tool_result')
      expect(result).toMatchObject({ message: { toolName: shell, isError: false } })
      expect(JSON.stringify(result)).toContain('over')
      expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
      const report = readFileSync(join(directories.projects, 'report.txt'), 'utf8')
      expect(report.split('\n').filter((line) => line !== '')).toEqual([
        'token: none',
        'data: empty',
        'database: not read',
        'key row: not inserted',
        'control socket: ENOENT',
        'server process: not visible',
        'signal: refused',
        'request: 403 from_agent',
      ])
      expect(await server.client.keys.list()).toEqual(before)
      expect(await server.stop()).toBe(0)
      expect(server.output.stderr).toContain('agents run in a sandbox')
    })

    test('can be aborted, and leaves no process when the server is killed', async () => {
      const { server, id } = await start()
      const { client } = server
      let hasAborted = false
      for await (const event of client.sessions.stream(id)) {
        if (event.type === 'snapshot') await client.sessions.prompt(id, 'scenario:slow please')
        if (event.type === 'message_update' && !hasAborted) {
          hasAborted = true
          await client.sessions.abort(id)
        }
        if (event.type === 'agent_end') break
      }
      // The agent itself, and bubblewrap outside and inside.
      expect(processesOfSession(id).length).toBeGreaterThanOrEqual(3)
      await client.sessions.prompt(id, 'scenario:slow please')
      const processes = processesOfSession(id)
      expect(processes.length).toBeGreaterThanOrEqual(3)
      await server.stop('SIGKILL')
      for (const pid of processes)
        await expect.poll(() => processTable.startTimeOf(pid)).toBeUndefined()
      expect(processesOfSession(id)).toEqual([])
    })

    test('in the project mode, works and writes nothing outside', async () => {
      const { directories, server, id, setup } = await start('--sandbox', 'project')
      const outside = join(directories.projects, '..', 'outside')
      mkdirSync(outside)
      const home = setup.env.HOME ?? ''
      const script = `echo made > made.txt; touch '${outside}/x' '${home}/x'`
      writeFileSync(join(directories.projects, 'test.sh'), script)
      const events = await runScript(server, id)
      expect(JSON.stringify(events.find((event) => event.type === 'tool_result'))).toContain('over')
      expect(events.at(-1)).toMatchObject({ type: 'agent_end', stopReason: 'stop' })
      expect(readFileSync(join(directories.projects, 'made.txt'), 'utf8')).toBe('made\n')
      expect(existsSync(join(outside, 'x'))).toBe(false)
      expect(existsSync(join(home, 'x'))).toBe(false)
    })
  },
)

/** Everything that a script of an agent can try, with the results in `report.txt`. */
const attack = ({ data }: ServerDirectories, { child, url, token }: ServerProcess): string => {
  const node = `'${process.execPath}' --no-warnings --input-type=module`
  const database = join(data, 'sluice.db')
  return `
exec 2>/dev/null >report.txt
echo "token: \${SLUICE_TOKEN:-none}"
[ -z "$(ls -A '${data}')" ] && echo 'data: empty' || ls -A '${data}'
cat '${database}' || ${node} <<'END' || echo 'database: not read'
  import { DatabaseSync } from 'node:sqlite'
  console.log(new DatabaseSync('${database}', { readOnly: true }).prepare('SELECT * FROM keys').all())
END
${node} <<'END' || echo 'key row: not inserted'
  import { DatabaseSync } from 'node:sqlite'
  new DatabaseSync('${database}').exec("INSERT INTO keys SELECT * FROM keys")
END
${node} <<'END'
  import { connect } from 'node:net'
  connect('${join(data, 'control.sock')}')
    .on('connect', () => console.log('control socket: open'))
    .on('error', ({ code }) => console.log('control socket:', code))
END
[ -e /proc/${child.pid}/environ ] && grep -aq serve /proc/${child.pid}/cmdline \\
  && echo 'server process: visible' || echo 'server process: not visible'
kill -0 ${child.pid} && echo 'signal: sent' || echo 'signal: refused'
${node} <<'END'
  const headers = { authorization: 'Bearer ${token}' }
  const response = await fetch('${url}/api/v1/approvals', { headers })
  console.log('request:', response.status, /"code":"(\\w+)"/.exec(await response.text())?.[1])
END
`
}
