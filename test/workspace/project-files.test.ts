import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isRefusal } from '../../src/agents/workspace.ts'
import { openSandbox } from '../../src/process/sandbox.ts'
import {
  createProjectFiles,
  maxFileBytes,
  type ProjectFiles,
} from '../../src/workspace/project-files.ts'

let directory: string
let project: string
let outside: string
let files: ProjectFiles

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-files-'))
  project = join(directory, 'project')
  outside = join(directory, 'outside')
  for (const path of [project, outside]) mkdirSync(path)
  files = createProjectFiles({ roots: [project], isHidden: () => false })
})
afterEach(() => rmSync(directory, { recursive: true }))

const targetOf = async (path: string) => {
  const target = await files.findTarget(path)
  if (isRefusal(target)) throw new Error(target.refusal)
  return target
}

describe('reading', () => {
  test('a pipe is refused, and nobody waits for its writer', async () => {
    execFileSync('mkfifo', [join(project, 'pipe')])
    expect(await files.read(join(project, 'pipe'))).toMatchObject({ kind: 'failed' })
    expect(await files.findTarget(join(project, 'pipe'))).toMatchObject({ kind: 'failed' })
  })

  test('a text keeps its mark of order; bytes that are no text are refused, not changed', async () => {
    writeFileSync(join(project, 'a.txt'), '\uFEFFé')
    writeFileSync(join(project, 'b.bin'), Buffer.from([0xff, 0xfe, 0x00]))
    expect(await files.read(join(project, 'a.txt'))).toEqual({ text: '\uFEFFé' })
    expect(await files.read(join(project, 'b.bin'))).toMatchObject({ kind: 'failed' })
  })

  test('a file over the limit is refused', async () => {
    writeFileSync(join(project, 'a.txt'), Buffer.alloc(maxFileBytes + 1, 'a'))
    expect(await files.read(join(project, 'a.txt'))).toMatchObject({
      refusal: expect.stringContaining('8 MiB'),
    })
  })

  test('links inside of the project are followed', async () => {
    writeFileSync(join(project, 'a.txt'), 'text')
    symlinkSync('a.txt', join(project, 'link.txt'))
    expect(await files.read(join(project, 'link.txt'))).toEqual({ text: 'text' })
  })

  test('the data of the server is not read, even inside of the project', async () => {
    const data = join(project, '.sluice')
    mkdirSync(data)
    writeFileSync(join(data, 'token'), 'secret')
    symlinkSync(data, join(project, 'link'))
    const { hides } = await openSandbox({ mode: 'off', hidden: [data] })
    files = createProjectFiles({ roots: [project], isHidden: (path) => hides?.(path) ?? false })
    for (const path of ['.sluice/token', 'link/token', '.sluice/new'])
      expect(await files.findTarget(join(project, path))).toMatchObject({ kind: 'link_outside' })
    expect(await files.read(join(data, 'token'))).toMatchObject({ kind: 'link_outside' })
    expect(await files.findDirectory(data)).toMatchObject({ kind: 'link_outside' })
  })
})

describe('writing', () => {
  test('the rights of a file stay, and no other file is left', async () => {
    const path = join(project, 'run.sh')
    writeFileSync(path, 'old')
    chmodSync(path, 0o750)
    const target = await targetOf(path)
    expect(target.before).toBe('old')
    expect(await target.write('new')).toBeUndefined()
    expect(readFileSync(path, 'utf8')).toBe('new')
    expect(statSync(path).mode & 0o777).toBe(0o750)
    expect(readdirSync(project)).toEqual(['run.sh'])
  })

  test('another name of the file outside of the project keeps its content', async () => {
    writeFileSync(join(outside, 'a.txt'), 'old')
    linkSync(join(outside, 'a.txt'), join(project, 'a.txt'))
    await (await targetOf(join(project, 'a.txt'))).write('new')
    expect(readFileSync(join(project, 'a.txt'), 'utf8')).toBe('new')
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('old')
  })

  test('a directory that becomes a link while a person decides leads nowhere', async () => {
    mkdirSync(join(project, 'below'))
    writeFileSync(join(project, 'below/a.txt'), 'old')
    writeFileSync(join(outside, 'a.txt'), 'old')
    const target = await targetOf(join(project, 'below/a.txt'))
    renameSync(join(project, 'below'), join(project, 'moved'))
    symlinkSync(outside, join(project, 'below'))
    expect(await target.write('new')).toMatchObject({ kind: 'link_outside' })
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('old')
  })

  test('a directory that is swapped all the time never leads out', async () => {
    const below = join(project, 'below')
    const moved = join(project, 'moved')
    // The link is not the last part of the path: that one is never followed.
    for (const path of [below, outside]) mkdirSync(join(path, 'sub'), { recursive: true })
    let isOver = false
    /** A write that runs just now may create the directory again, at any time. */
    const replace = (put: () => void) => {
      for (;;)
        try {
          return put()
        } catch {
          rmSync(below, { recursive: true, force: true })
        }
    }
    const swap = async () => {
      while (!isOver) {
        renameSync(below, moved)
        replace(() => symlinkSync(outside, below))
        await new Promise(setImmediate)
        rmSync(below)
        replace(() => renameSync(moved, below))
        await new Promise(setImmediate)
      }
    }
    const swapping = swap()
    for (let round = 0; round < 200; round += 1) {
      const target = await files.findTarget(join(below, 'sub', `${round}.txt`))
      if (!isRefusal(target)) await target.write('new')
    }
    isOver = true
    await swapping
    expect(readdirSync(join(outside, 'sub'))).toEqual([])
  })

  test('a content over the limit is refused', async () => {
    const target = await targetOf(join(project, 'a.txt'))
    expect(await target.write('é'.repeat(maxFileBytes / 2 + 1))).toMatchObject({ kind: 'failed' })
    expect(readdirSync(project)).toEqual([])
  })

  test('directories that are missing are created, below a link inside of the project too', async () => {
    mkdirSync(join(project, 'real'))
    symlinkSync('real', join(project, 'link'))
    await (await targetOf(join(project, 'link/one/two/a.txt'))).write('new')
    expect(readFileSync(join(project, 'real/one/two/a.txt'), 'utf8')).toBe('new')
  })
})
