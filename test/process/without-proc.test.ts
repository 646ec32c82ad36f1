import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'

// On systems without /proc, such as macOS, processes are listed by `ps` and connections by `lsof`.
const hasLsof = spawnSync('lsof', ['-v']).status === 0
if (!hasLsof) console.log('skipped: connections without /proc: lsof is not installed')

describe('without /proc', () => {
  let table: typeof import('../../src/process/process-table.ts')
  let spawning: typeof import('../../src/process/spawn.ts')
  beforeAll(async () => {
    vi.stubEnv('SLUICE_PROCESS_TABLE', 'ps')
    vi.resetModules()
    table = await import('../../src/process/process-table.ts')
    spawning = await import('../../src/process/spawn.ts')
  })

  const isRunning = (pid: number) => table.processTable.startTimeOf(pid) !== undefined

  const start = async (script: string) => {
    let text = ''
    const { promise: printed, resolve } = Promise.withResolvers<void>()
    const agent = await spawning.startProcess({
      program: 'bash',
      args: ['-c', script],
      cwd: '/',
      onChunk(chunk) {
        text += Buffer.from(chunk).toString('utf8')
        if (text.endsWith('\n')) resolve()
      },
    })
    await printed
    return { agent, pids: text.trim().split(/\s+/).map(Number) }
  }

  test('this process is in the table, with its parent and its start', () => {
    expect(table.hasProc).toBe(false)
    const row = table.processTable.rows().find(({ pid }) => pid === process.pid)
    expect(row).toMatchObject({ parent: process.ppid, isEnded: false })
    const startedAt = Date.now() / 1000 - process.uptime()
    expect(Math.abs((row?.startedAt ?? 0) - startedAt)).toBeLessThan(5)
    expect(table.processTable.startTimeOf(process.pid)).toBeCloseTo(row?.startedAt ?? 0, -1)
  })

  test('helpers end with their agent: by their environment, their group or their parent', async () => {
    const { agent, pids } = await start(
      '(setsid sleep 600 & echo $!); sleep 600 & echo $!; env -i setsid sleep 600 & echo $!; wait',
    )
    expect(pids).toHaveLength(3)
    expect(pids.every(isRunning)).toBe(true)
    agent.kill()
    await agent.done
    expect(pids.filter(isRunning)).toEqual([])
  })

  test('a helper that was seen below the agent ends with it after it left its parent', async () => {
    const { agent, pids } = await start(
      `bash -c 'env -i setsid sleep 600 & echo $!; exec sleep 4' & wait`,
    )
    const [helper = 0] = pids
    // The agent prints again when it has been looked at, and after the parent has ended.
    await vi.waitFor(
      async () => {
        const { runningAgents } = await import('../../src/process/running-agents.ts')
        expect(runningAgents.list().some(({ known }) => known.has(helper))).toBe(true)
      },
      { timeout: 30_000 },
    )
    await agent.done
    expect(isRunning(helper)).toBe(false)
  })

  test('agents that a server left behind are killed by pid and start time', async () => {
    const { killOrphans } = await import('../../src/process/orphans.ts')
    const orphan = spawn('sleep', ['600'])
    onTestFinished(() => void orphan.kill('SIGKILL'))
    const { pid = 0 } = orphan
    await once(orphan, 'spawn')
    const startedAt = table.processTable.startTimeOf(pid) ?? 0
    await killOrphans({ agents: new Map([[pid, startedAt - 60]]) })
    expect(isRunning(pid)).toBe(true)
    await killOrphans({ agents: new Map([[pid, startedAt]]) })
    expect(isRunning(pid)).toBe(false)
  })

  test.skipIf(!hasLsof)('the owner of a port and of a connection is found', async () => {
    const { portOwner } = await import('../../src/process/port-owner.ts')
    const { isFromAgent } = await import('../../src/process/agent-connections.ts')
    const listener = createServer()
    onTestFinished(() => void listener.close())
    await once(listener.listen(0, '127.0.0.1'), 'listening')
    const address = listener.address()
    const port = typeof address === 'object' && address ? address.port : 0
    expect(portOwner(port)).toBe(process.pid)

    const accepted = once(listener, 'connection')
    const script = `require('net').connect(${port}, '127.0.0.1'); console.log(process.pid)`
    const { agent } = await start(`'${process.execPath}' -e "${script}"`)
    const [fromAgent] = await accepted
    expect(await isFromAgent(fromAgent)).toBe(true)

    const own = once(listener, 'connection')
    const client = connect(port, '127.0.0.1')
    const [fromUs] = await own
    expect(await isFromAgent(fromUs)).toBe(false)
    client.destroy()
    agent.kill()
    await agent.done
    fromAgent.destroy()
    fromUs.destroy()
  })
})
