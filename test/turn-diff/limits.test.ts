import { appendFileSync, chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { contentOf, fileOf, linesOf, openProject, type Project } from './project.ts'

const mebibyte = 1024 * 1024

describe('limits of a turn diff', () => {
  let project: Project
  afterEach(async () => {
    vi.unstubAllEnvs()
    await project.close()
  })
  const write = (name: string, content: string | Buffer) =>
    writeFileSync(join(project.cwd, name), content)

  test('a file of 5 MB is listed without a diff, tracked or not', async () => {
    project = await openProject()
    const large = 'all work and no play\n'.repeat((5 * mebibyte) / 21)
    project.init(':')
    write('tracked', large)
    write('dropped', large)
    project.sh('git add -A; git commit -qm large')
    write('untracked', large)
    await project.start()
    expect((await project.read()).files).toEqual([])
    for (const name of ['tracked', 'untracked']) appendFileSync(join(project.cwd, name), 'more\n')
    write('new', large)
    project.sh('rm dropped')
    const diff = await project.read()
    expect(linesOf(diff)).toEqual([
      'deleted dropped huge',
      'added new huge',
      'modified tracked huge',
      'modified untracked huge',
    ])
    expect(fileOf(diff, 'new')).toEqual({
      path: 'new',
      status: 'added',
      kind: 'huge',
      size: large.length,
    })
    // Its content is not stored.
    expect(sizeOf(project.directory)).toBeLessThan(mebibyte)
  })

  test('large files: growing and shrinking is a modification, moving is a move', async () => {
    project = await openProject({ limits: { fileBytes: 1000 } })
    project.init('echo small > grows; seq 1000 > shrinks')
    project.sh(
      'seq 2000 > moves; seq 2000 > goes; seq 1000 > stays; seq 999 > shrinks; seq 9999 > swap',
    )
    await project.start()
    project.sh('seq 1000 > grows; echo small > shrinks; mv moves moved; rm goes; seq 1000 > comes')
    project.sh('rm swap; mkdir swap; echo 1 > swap/in')
    expect(linesOf(await project.read())).toEqual([
      'added comes huge',
      'deleted goes huge',
      'modified grows huge',
      'renamed moves → moved huge',
      'modified shrinks huge',
      'deleted swap huge',
      'added swap/in',
    ])
  })

  test('if all content is too much, the largest files have no diff', async () => {
    project = await openProject({ limits: { contentBytes: 1500 } })
    project.init()
    write('large', 'l'.repeat(1400))
    write('small', 's'.repeat(400))
    await project.start()
    expect((await project.read()).files).toEqual([])
    write('large', 'L'.repeat(1400))
    write('small', 'S'.repeat(400))
    expect(linesOf(await project.read())).toEqual(['modified large huge', 'modified small'])
  })

  test('a diff that is too long is left out, with its lines counted', async () => {
    project = await openProject({ limits: { diffBytes: 1000 } })
    project.init()
    project.sh('seq 1000 > long; echo short > short')
    await project.start()
    project.sh('seq 2001 3000 > long; echo shorter > short')
    const diff = await project.read()
    expect(fileOf(diff, 'long')).toMatchObject({ kind: 'huge', additions: 1000, deletions: 1000 })
    expect(fileOf(diff, 'long').diff).toBeUndefined()
    expect(fileOf(diff, 'short').diff).toContain('+shorter')
    expect(diff.truncated).toBeUndefined()
  })

  test('a response that is too long is marked as truncated', async () => {
    project = await openProject({ limits: { answerBytes: 300, files: 5 } })
    project.init()
    await project.start()
    project.sh('for i in 1 2 3 4 5 6 7; do echo $i > f$i; done')
    const diff = await project.read()
    expect(diff.files.map(({ path }) => path)).toEqual(['f1', 'f2', 'f3', 'f4', 'f5'])
    expect(diff.files.map(({ diff }) => diff !== undefined)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    expect(diff.files.every(({ additions }) => additions === 1)).toBe(true)
    expect(diff.truncated).toBe(true)
  })

  test('git is stopped when it prints more than a response may hold', async () => {
    project = await openProject({ limits: { answerBytes: 30_000 } })
    project.init()
    await project.start()
    project.sh('for i in 1 2 3 4 5 6 7 8 9; do seq 4000 > f$i; done')
    const diff = await project.read()
    expect(diff.truncated).toBe(true)
    expect(diff.files.filter(({ diff }) => diff !== undefined)).toHaveLength(1)
    expect(diff.files.every(({ additions }) => additions === 4000)).toBe(true)
  })

  test('git is not used if too many files differ from the index', async () => {
    project = await openProject({ limits: { candidates: 10 } })
    project.init()
    project.sh('for i in $(seq 11); do touch f$i; done')
    await project.start()
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'too_many_files' })
    project.sh('rm f11')
    await project.start()
    expect(await project.read()).toMatchObject({ source: 'git', files: [] })
    project.sh('for i in $(seq 20); do touch g$i; done')
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'too_many_files' })
  })

  test('touched files do not count as files that differ', async () => {
    project = await openProject({ limits: { candidates: 10 } })
    project.init('for i in $(seq 30); do echo $i > f$i; done')
    project.sh('touch -d 2001-01-01 f*')
    await project.start()
    project.sh('echo new > f7')
    expect(linesOf(await project.read())).toEqual(['modified f7'])
  })

  test('a file that git cannot read is listed, and the others have diffs', async () => {
    project = await openProject()
    project.init('echo "*.enc working-tree-encoding=UTF-16" > .gitattributes')
    await project.start()
    project.sh('echo "not UTF-16" > bad.enc; echo 1 > a; echo 2 > b; echo 3 > z')
    expect(linesOf(await project.read())).toEqual([
      'added a',
      'added b',
      'added bad.enc binary',
      'added z',
    ])
    await project.start()
    expect((await project.read()).files).toEqual([])
    project.sh('echo "again not" > bad.enc')
    expect(linesOf(await project.read())).toEqual(['modified bad.enc binary'])
  })

  test('git is stopped if it hangs', async () => {
    project = await openProject()
    project.init()
    const program = join(project.root, 'slow-git')
    writeFileSync(program, '#!/bin/sh\nexec sleep 1000\n')
    chmodSync(program, 0o755)
    await project.start()
    await project.restart({ program, limits: { readMs: 50, beginMs: 50 } })
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'timed_out' })
    await project.start()
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'timed_out' })
    expect(project.errors.map(String)).toEqual([
      'GitFault: Git was stopped: it took too long, or the server is closing.',
      'GitFault: Git was stopped: it took too long, or the server is closing.',
    ])
  })

  test('only the baseline of the last turn stays on disk', async () => {
    project = await openProject()
    project.init()
    const temp = join(project.root, 'temp')
    mkdirSync(temp)
    vi.stubEnv('TMPDIR', temp)
    mkdirSync(join(project.cwd, 'd'))
    for (const turn of [1, 2, 3]) {
      project.sh(`echo ${turn} > d/${turn}`)
      await project.start()
      await project.read()
    }
    await project.diffs().close()
    expect(readdirSync(temp)).toEqual([])
    expect(readdirSync(join(project.directory, 's')).sort()).toEqual(['base.json', 'turn-3'])
    await project.restart()
    await project.diffs().remove('s')
    expect(readdirSync(project.directory)).toEqual([])
  })
})

const sizeOf = (directory: string): number =>
  contentOf(directory).reduce((sum, line) => sum + Number(line.split(' ').at(-2)), 0)
