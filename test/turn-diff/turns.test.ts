import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { linesOf, openProject, type Project } from './project.ts'

describe('turn diffs over several turns', () => {
  let project: Project
  afterEach(() => project.close())
  const startTurn = async () => {
    project = await openProject()
    project.init('echo 1 > a')
    return project.start()
  }

  test('the directory for baselines may be a relative path', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-turns-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    project = await openProject({ directory: relative(process.cwd(), directory) })
    project.init('echo 1 > a')
    await project.start()
    project.sh('echo 2 > a')
    expect(linesOf(await project.read())).toEqual(['modified a'])
  })

  test('before the first turn there is nothing to compare with', async () => {
    project = await openProject()
    project.init()
    await project.append({ type: 'session_start', agent: 'pi' })
    expect(await project.read()).toEqual({ sessionId: 's', since: null, source: 'none', files: [] })
  })

  test('each turn has a new baseline', async () => {
    const first = await startTurn()
    project.sh('echo 2 > a')
    expect(await project.read()).toMatchObject({ since: first.timestamp, files: [{ path: 'a' }] })
    const second = await project.start()
    expect(await project.read()).toMatchObject({ since: second.timestamp, files: [] })
    project.sh('echo 1 > a; echo 1 > b')
    expect(linesOf(await project.read())).toEqual(['modified a', 'added b'])
    project.sh('echo 2 > a; rm b')
    expect((await project.read()).files).toEqual([])
  })

  test('a restart of the server changes nothing', async () => {
    const { timestamp } = await startTurn()
    project.sh('echo 2 > a; echo new > b')
    const before = await project.read()
    await project.restart()
    expect(await project.read()).toEqual(before)
    expect(before).toMatchObject({ since: timestamp, source: 'git', files: [{}, {}] })
  })

  test('a turn that started without a server has no baseline', async () => {
    await startTurn()
    await project.restart()
    const [missed] = await project.append({ type: 'agent_start' })
    const lost = { since: missed?.timestamp, source: 'tools', reason: 'base_lost', files: [] }
    expect(await project.read()).toMatchObject(lost)
    expect(await project.read()).toMatchObject(lost)
    await project.start()
    expect(await project.read()).toMatchObject({ source: 'git', files: [] })
  })

  test('a baseline whose objects were deleted is reported as lost', async () => {
    await startTurn()
    project.sh('git checkout -q --detach; echo 2 > a; git commit -qam second')
    await project.start()
    // Git deletes the commit, and with it an object that the baseline needs.
    project.sh('git checkout -q main; git reflog expire --expire=now --all; git gc -q --prune=now')
    project.sh('echo 3 > a')
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'base_lost' })
  })

  test('a baseline whose files are damaged or missing is reported as lost', async () => {
    await startTurn()
    project.sh('echo untracked > b')
    await project.start()
    project.sh('echo 2 > a')
    const folder = join(project.directory, 's')
    rmSync(join(folder, 'turn-2'), { recursive: true })
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'base_lost' })
    await project.restart()
    writeFileSync(join(folder, 'base.json'), '{"seq":')
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'base_lost' })
    await project.restart()
    writeFileSync(join(folder, 'base.json'), '{"seq":1}')
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'base_lost' })
  })

  test('a directory that cannot be written to is reported, and no call fails', async () => {
    project = await openProject()
    writeFileSync(project.directory, 'a file, not a directory')
    project.init()
    await project.start()
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'git_failed' })
    expect(project.errors).not.toEqual([])
  })

  test('reading waits for the baseline that is being recorded', async () => {
    await startTurn()
    project.sh('echo 2 > a')
    const [event] = await project.append({ type: 'agent_start' })
    if (!event) throw new Error('no event')
    const recorded = project.diffs().startTurn('s', project.cwd, event)
    const diffs = await Promise.all([project.read(), project.read(), project.read()])
    await recorded
    for (const diff of diffs) expect(diff).toMatchObject({ since: event.timestamp, files: [] })
  })

  test('a directory that must be looked up first leaves no gap', async () => {
    await startTurn()
    project.sh('echo 2 > a')
    const [event] = await project.append({ type: 'agent_start' })
    if (!event) throw new Error('no event')
    const { promise, resolve } = Promise.withResolvers<string>()
    const recorded = project.diffs().startTurn('s', promise, event)
    const reading = project.read()
    resolve(project.cwd)
    expect(await reading).toMatchObject({ since: event.timestamp, source: 'git', files: [] })
    await recorded
    await project.diffs().startTurn('gone', Promise.resolve(undefined), event)
    await project.diffs().startTurn('unknown', Promise.reject(new Error('no log')), event)
    expect(project.errors.map(String)).toEqual(['Error: no log'])
  })

  test('of several starts in quick succession the last counts', async () => {
    await startTurn()
    const starts: Promise<void>[] = []
    let last = 0
    for (const text of ['2', '3', '4']) {
      project.sh(`echo ${text} > a`)
      const [event] = await project.append({ type: 'agent_start' })
      if (!event) throw new Error('no event')
      last = event.timestamp
      starts.push(project.diffs().startTurn('s', project.cwd, event))
    }
    await Promise.all(starts)
    expect(await project.read()).toMatchObject({ since: last, source: 'git', files: [] })
    expect(project.errors).toEqual([])
  })

  test('concurrent reads share their work and see what was there when they started', async () => {
    await startTurn()
    const first = project.read()
    project.sh('echo 2 > a')
    const others = await Promise.all([project.read(), project.read()])
    await first
    for (const diff of others) expect(linesOf(diff)).toEqual(['modified a'])
  })

  test('closing stops a recording', async () => {
    await startTurn()
    const [event] = await project.append({ type: 'agent_start' })
    if (!event) throw new Error('no event')
    const recorded = project.diffs().startTurn('s', project.cwd, event)
    await project.diffs().close()
    await recorded
    await project.restart()
    expect(await project.read()).toMatchObject({ since: event.timestamp })
  })

  test('sessions do not share baselines, whatever their ids are', async () => {
    const start = await startTurn()
    project.sh('echo 2 > a')
    for (const id of ['../s', '..', 'a/b', 's.']) {
      await project.diffs().startTurn(id, project.cwd, start)
      expect((await project.diffs().read(id, project.cwd)).files).toEqual([])
    }
    expect(linesOf(await project.read())).toEqual(['modified a'])
    expect(readdirSync(project.directory)).toHaveLength(5)
    expect(readdirSync(project.root).sort()).toEqual(['data', 'home', 'project'])
  })
})
