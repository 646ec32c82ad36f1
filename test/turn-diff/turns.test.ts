import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { inShort, openProject, type Project } from './project.ts'

describe('from turn to turn', () => {
  let project: Project
  afterEach(() => project.close())
  const begun = async () => {
    project = await openProject()
    project.init('echo 1 > a')
    return project.start()
  }

  test('where the states are kept may be said by a relative path', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-turns-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    project = await openProject({ directory: relative(process.cwd(), directory) })
    project.init('echo 1 > a')
    await project.start()
    project.sh('echo 2 > a')
    expect(inShort(await project.read())).toEqual(['modified a'])
  })

  test('before the first there is nothing to compare with', async () => {
    project = await openProject()
    project.init()
    await project.append({ type: 'session_start', agent: 'pi' })
    expect(await project.read()).toEqual({ sessionId: 's', since: null, source: 'none', files: [] })
  })

  test('each begins anew', async () => {
    const first = await begun()
    project.sh('echo 2 > a')
    expect(await project.read()).toMatchObject({ since: first.timestamp, files: [{ path: 'a' }] })
    const second = await project.start()
    expect(await project.read()).toMatchObject({ since: second.timestamp, files: [] })
    project.sh('echo 1 > a; echo 1 > b')
    expect(inShort(await project.read())).toEqual(['modified a', 'added b'])
    project.sh('echo 2 > a; rm b')
    expect((await project.read()).files).toEqual([])
  })

  test('a restart of the server changes nothing', async () => {
    const { timestamp } = await begun()
    project.sh('echo 2 > a; echo new > b')
    const before = await project.read()
    await project.restart()
    expect(await project.read()).toEqual(before)
    expect(before).toMatchObject({ since: timestamp, source: 'git', files: [{}, {}] })
  })

  test('a beginning that no server took down is told as lost, from then on', async () => {
    await begun()
    await project.restart()
    const [missed] = await project.append({ type: 'agent_start' })
    const lost = { since: missed?.timestamp, source: 'tools', reason: 'base_lost', files: [] }
    expect(await project.read()).toMatchObject(lost)
    expect(await project.read()).toMatchObject(lost)
    await project.start()
    expect(await project.read()).toMatchObject({ source: 'git', files: [] })
  })

  test('a state of which something is gone is told as lost', async () => {
    await begun()
    project.sh('git checkout -q --detach; echo 2 > a; git commit -qam second')
    await project.start()
    // The commit is forgotten, and with it the object that the state refers to.
    project.sh('git checkout -q main; git reflog expire --expire=now --all; git gc -q --prune=now')
    project.sh('echo 3 > a')
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'base_lost' })
  })

  test('files of ours that are damaged or gone are told as lost', async () => {
    await begun()
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

  test('a place that cannot be written to is told, and fails nobody', async () => {
    project = await openProject()
    writeFileSync(project.directory, 'a file, not a directory')
    project.init()
    await project.start()
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'git_failed' })
    expect(project.errors).not.toEqual([])
  })

  test('a look waits for the beginning, a beginning does not wait for a look', async () => {
    await begun()
    project.sh('echo 2 > a')
    const [event] = await project.append({ type: 'agent_start' })
    if (!event) throw new Error('no event')
    const taken = project.diffs().startTurn('s', project.cwd, event)
    const looks = await Promise.all([project.read(), project.read(), project.read()])
    await taken
    for (const told of looks) expect(told).toMatchObject({ since: event.timestamp, files: [] })
  })

  test('a directory that must be looked up first makes no gap', async () => {
    await begun()
    project.sh('echo 2 > a')
    const [event] = await project.append({ type: 'agent_start' })
    if (!event) throw new Error('no event')
    const { promise, resolve } = Promise.withResolvers<string>()
    const taken = project.diffs().startTurn('s', promise, event)
    const look = project.read()
    resolve(project.cwd)
    expect(await look).toMatchObject({ since: event.timestamp, source: 'git', files: [] })
    await taken
    await project.diffs().startTurn('gone', Promise.resolve(undefined), event)
    await project.diffs().startTurn('unknown', Promise.reject(new Error('no log')), event)
    expect(project.errors.map(String)).toEqual(['Error: no log'])
  })

  test('of beginnings in quick succession the last counts', async () => {
    await begun()
    const begins: Promise<void>[] = []
    let last = 0
    for (const text of ['2', '3', '4']) {
      project.sh(`echo ${text} > a`)
      const [event] = await project.append({ type: 'agent_start' })
      if (!event) throw new Error('no event')
      last = event.timestamp
      begins.push(project.diffs().startTurn('s', project.cwd, event))
    }
    await Promise.all(begins)
    expect(await project.read()).toMatchObject({ since: last, source: 'git', files: [] })
    expect(project.errors).toEqual([])
  })

  test('looks at the same time share their work, and see what was there when they asked', async () => {
    await begun()
    const first = project.read()
    project.sh('echo 2 > a')
    const others = await Promise.all([project.read(), project.read()])
    await first
    for (const told of others) expect(inShort(told)).toEqual(['modified a'])
  })

  test('closing in the middle ends it', async () => {
    await begun()
    const [event] = await project.append({ type: 'agent_start' })
    if (!event) throw new Error('no event')
    const taken = project.diffs().startTurn('s', project.cwd, event)
    await project.diffs().close()
    await taken
    await project.restart()
    expect(await project.read()).toMatchObject({ since: event.timestamp })
  })

  test('sessions know nothing of each other, whatever they are called', async () => {
    const start = await begun()
    project.sh('echo 2 > a')
    for (const id of ['../s', '..', 'a/b', 's.']) {
      await project.diffs().startTurn(id, project.cwd, start)
      expect((await project.diffs().read(id, project.cwd)).files).toEqual([])
    }
    expect(inShort(await project.read())).toEqual(['modified a'])
    expect(readdirSync(project.directory)).toHaveLength(5)
    expect(readdirSync(project.root).sort()).toEqual(['data', 'home', 'project'])
  })
})
