import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { worktreeChanges } from '../../src/worktrees/worktree-changes.ts'
import { checkWorktree, createWorktree, removeWorktree } from '../../src/worktrees/worktrees.ts'

let directory: string
const git = (...args: string[]) => execFileSync('git', args, { cwd: directory, encoding: 'utf8' })
const write = (file: string, text: string) => writeFileSync(join(directory, file), text)

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-worktrees-')))
  git('init', '-q', '-b', 'main')
  git('config', 'user.name', 'Somebody')
  git('config', 'user.email', 'somebody@example.org')
  write('a.txt', 'one\n')
  git('add', '-A')
  git('commit', '-qm', 'First')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** A program that leaves a file behind when it runs. */
const trap = (): { path: string; hasRun: () => boolean } => {
  const path = join(directory, '.git', 'trap.sh')
  const mark = join(directory, '.git', 'ran')
  writeFileSync(path, `#!/bin/sh\ntouch '${mark}'\ncat\n`)
  chmodSync(path, 0o755)
  return { path, hasRun: () => existsSync(mark) }
}

test('a worktree has the files of the last commit, and a branch of its own', async () => {
  const { worktree, cwd } = await createWorktree({ directory, name: 'try-pi' })
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n')
  expect(worktree).toEqual({
    path: join(directory, '.sluice/worktrees/try-pi'),
    branch: 'sluice/try-pi',
    base: git('rev-parse', 'HEAD').trim(),
    project: directory,
  })
  expect(git('status', '--porcelain')).toBe('')
})

test('for a directory inside the repository, the agent starts in the same directory', async () => {
  mkdirSync(join(directory, 'packages/one'), { recursive: true })
  write('packages/one/b.txt', 'b\n')
  git('add', '-A')
  git('commit', '-qm', 'Second')
  const inside = join(directory, 'packages/one')
  const { worktree, cwd } = await createWorktree({ directory: inside, name: 'try' })
  expect(cwd).toBe(join(inside, '.sluice/worktrees/try/packages/one'))
  expect(worktree.project).toBe(inside)
  expect(existsSync(join(cwd, 'b.txt'))).toBe(true)
})

test('removing it deletes the directory, and the branch if it has no commits', async () => {
  const { worktree } = await createWorktree({ directory, name: 'empty' })
  writeFileSync(join(worktree.path, 'new.txt'), 'x')
  expect(await removeWorktree(worktree)).toEqual({ isBranchDeleted: true })
  expect(existsSync(worktree.path)).toBe(false)
  expect(git('branch', '--list', 'sluice/*')).toBe('')
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1)
})

test('a branch with commits stays', async () => {
  const { worktree } = await createWorktree({ directory, name: 'done' })
  execFileSync('git', ['commit', '-q', '--allow-empty', '-m', 'Work'], { cwd: worktree.path })
  expect(await removeWorktree(worktree)).toEqual({ isBranchDeleted: false })
  expect(git('branch', '--list', 'sluice/*')).toContain('sluice/done')
})

test('changes that are not committed are an error that names them', async () => {
  write('a.txt', 'two\n')
  write('new.txt', '')
  await expect(checkWorktree({ directory })).rejects.toThrow(/not committed \(a\.txt, new\.txt\)/)
  await expect(createWorktree({ directory, name: 'no' })).rejects.toMatchObject({
    code: 'uncommitted_changes',
  })
  const { cwd } = await createWorktree({ directory, name: 'yes', fromHead: true })
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n')
})

test('a directory without git, and a repository without a commit, are errors', async () => {
  const plain = mkdtempSync(join(tmpdir(), 'sluice-no-git-'))
  await expect(checkWorktree({ directory: plain })).rejects.toThrow(/not in a git work tree/)
  execFileSync('git', ['init', '-q'], { cwd: plain })
  await expect(checkWorktree({ directory: plain })).rejects.toThrow(/has no commit yet/)
  rmSync(plain, { recursive: true, force: true })
})

test('no program runs that the repository itself names', async () => {
  const { path, hasRun } = trap()
  mkdirSync(join(directory, '.git/hooks'), { recursive: true })
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change'])
    symlinkSync(path, join(directory, '.git/hooks', hook))
  write('.gitattributes', '*.txt filter=planted\n')
  git('-c', 'core.hooksPath=/dev/null', 'add', '-A')
  git('-c', 'core.hooksPath=/dev/null', 'commit', '-qm', 'Attributes')
  git('config', 'core.fsmonitor', path)
  for (const key of ['smudge', 'clean']) git('config', `filter.planted.${key}`, path)
  git('config', 'filter.planted.required', 'true')
  const { worktree } = await createWorktree({ directory, name: 'try' })
  // An agent can write to the settings of the repository.
  await removeWorktree(worktree)
  expect(hasRun()).toBe(false)
})

test('a filter that cannot be switched off is refused', async () => {
  const { path, hasRun } = trap()
  write('.gitattributes', '*.txt filter=a=b\n')
  git('add', '-A')
  git('commit', '-qm', 'Attributes')
  for (const key of ['smudge', 'clean']) git('config', `filter.a=b.${key}`, path)
  await expect(createWorktree({ directory, name: 'try', fromHead: true })).rejects.toThrow(/a=b/)
  expect(hasRun()).toBe(false)
})

test('a branch of the user stays, although an agent changed to it in its worktree', async () => {
  const { worktree } = await createWorktree({ directory, name: 'try' })
  git('branch', 'release')
  git('-C', worktree.path, 'switch', '-q', 'release')
  expect(await removeWorktree({ ...worktree, branch: 'release' })).toEqual({
    isBranchDeleted: false,
  })
  expect(git('branch', '--list', 'release')).toContain('release')
})

test('a link in place of the folder leads nowhere', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'sluice-elsewhere-'))
  const { worktree } = await createWorktree({ directory, name: 'try' })
  mkdirSync(join(elsewhere, 'try'))
  rmSync(join(directory, '.sluice/worktrees'), { recursive: true })
  symlinkSync(elsewhere, join(directory, '.sluice/worktrees'))
  await removeWorktree(worktree)
  expect(existsSync(join(elsewhere, 'try'))).toBe(true)
  await expect(createWorktree({ directory, name: 'again', fromHead: true })).rejects.toThrow(
    /is a link/,
  )
  rmSync(elsewhere, { recursive: true, force: true })
})

test('changes are counted from the first commit, committed or not', async () => {
  write('gone.txt', 'x\n')
  git('add', '-A')
  git('commit', '-qm', 'Second')
  const { worktree } = await createWorktree({ directory, name: 'try' })
  const { path } = worktree
  const inside = (file: string, text: string | Buffer) => writeFileSync(join(path, file), text)
  expect(await worktreeChanges(worktree)).toEqual([])
  inside('committed.txt', 'one\ntwo\n')
  for (const args of [
    ['add', '-A'],
    ['commit', '-qm', 'Work'],
  ])
    execFileSync('git', args, { cwd: path })
  inside('a.txt', 'one\nmore\n')
  inside('new file.txt', 'no end of line')
  inside('data.bin', Buffer.from([1, 0, 2]))
  rmSync(join(path, 'gone.txt'))
  symlinkSync('/dev/zero', join(path, 'link'))
  expect(await worktreeChanges(worktree)).toEqual([
    { path: 'a.txt', status: 'modified', kind: 'text', additions: 1, deletions: 0 },
    { path: 'committed.txt', status: 'added', kind: 'text', additions: 2, deletions: 0 },
    { path: 'data.bin', status: 'added', kind: 'binary' },
    { path: 'gone.txt', status: 'deleted', kind: 'text', additions: 0, deletions: 1 },
    { path: 'link', status: 'added', kind: 'huge' },
    { path: 'new file.txt', status: 'added', kind: 'text', additions: 1, deletions: 0 },
  ])
  await removeWorktree(worktree)
  expect(await worktreeChanges(worktree)).toBeUndefined()
})

test('a path that only begins like the folder of worktrees is not deleted', async () => {
  const { worktree } = await createWorktree({ directory, name: 'try' })
  mkdirSync(join(directory, 'precious'))
  const folder = join(directory, '.sluice/worktrees')
  for (const path of [`${folder}/../../precious`, `${folder}/try/../../../precious`, folder])
    await removeWorktree({ ...worktree, path, branch: 'sluice/none' })
  expect(existsSync(join(directory, 'precious'))).toBe(true)
  expect(existsSync(worktree.path)).toBe(true)
})
