import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contentOf, fileOf, linesOf, openProject, type Project } from './project.ts'

let project: Project
afterEach(() => project.close())

describe('the user’s repository', () => {
  test('is byte for byte the same after a turn and its diff', async () => {
    project = await openProject()
    project.init('echo 1 > a; echo 1 > b; echo 1 > c')
    project.sh('echo 2 > a; git add a; echo 3 > a; git stash -q; git stash apply -q; echo new > d')
    project.sh('git mv b moved; touch c; git branch other')
    const status = () => project.sh('GIT_OPTIONAL_LOCKS=0 git status --porcelain=v2 --branch')
    const before = [status(), ...contentOf(join(project.cwd, '.git'))]
    await project.start()
    project.sh('echo 4 > a; echo 2 > d; rm c; echo five > e')
    const changed = [status(), ...contentOf(join(project.cwd, '.git'))]
    expect(changed.slice(1)).toEqual(before.slice(1))
    expect((await project.read()).files).toHaveLength(4)
    expect([status(), ...contentOf(join(project.cwd, '.git'))]).toEqual(changed)
    project.sh('git fsck --strict')
  })

  test('may be locked while a baseline is recorded', async () => {
    project = await openProject()
    project.init()
    writeFileSync(join(project.cwd, '.git', 'index.lock'), '')
    await project.start()
    project.sh('echo 2 > a.txt')
    expect(linesOf(await project.read())).toEqual(['modified a.txt'])
  })

  test('runs no hook, filter, external diff or monitor', async () => {
    project = await openProject()
    const trap = (name: string) => `echo ${name} >> ${project.root}/ran; cat`
    project.init(
      'echo "*.secret filter=crypt diff=shown" > .gitattributes; echo 1 > a.secret; echo 1 > b',
    )
    project.sh('echo 1 > plain.secret; git add -A; git commit -qm second')
    const settings = {
      'filter.crypt.clean': trap('clean'),
      'filter.crypt.smudge': trap('smudge'),
      'filter.crypt.process': trap('process'),
      'filter.crypt.required': 'true',
      'diff.shown.textconv': trap('textconv'),
      'diff.shown.command': trap('command'),
      'diff.external': trap('external'),
      'core.fsmonitor': trap('monitor'),
      'core.pager': trap('pager'),
      'core.hooksPath': join(project.root, 'hooks'),
    }
    mkdirSync(join(project.root, 'hooks'))
    for (const hook of ['post-index-change', 'pre-auto-gc', 'fsmonitor-watchman'])
      writeFileSync(join(project.root, 'hooks', hook), `#!/bin/sh\n${trap(hook)}\n`, {
        mode: 0o755,
      })
    const config = Object.entries(settings).map(
      ([name, value]) => `git config --global ${name} '${value}'`,
    )
    project.sh(config.join('\n'))
    project.sh('touch a.secret')
    await project.start()
    expect((await project.read()).files).toEqual([])
    project.sh('echo 2 > a.secret; echo 2 > b; echo 2 > new.secret; rm plain.secret')
    const diff = await project.read()
    expect(linesOf(diff)).toEqual([
      'modified a.secret binary',
      'modified b',
      'added new.secret binary',
      'deleted plain.secret',
    ])
    expect(fileOf(diff, 'b').diff).toContain('-1\n+2\n')
    expect(() => project.sh('cat ../ran')).toThrow('No such file')
    // The traps work: git with the user’s settings runs them.
    project.sh('git status || true')
    expect(project.sh('cat ../ran')).toContain('monitor\nprocess\n')
  })

  test('has settings that change neither the diff nor line ends', async () => {
    project = await openProject()
    project.sh(
      [
        'diff.noprefix true',
        'diff.mnemonicPrefix true',
        'diff.context 0',
        'diff.renames false',
        'diff.suppressBlankEmpty true',
        'diff.algorithm patience',
        'color.ui always',
        'color.diff always',
        'core.autocrlf true',
        'core.quotePath true',
        'core.splitIndex true',
        'core.untrackedCache true',
        'status.showUntrackedFiles no',
        'diff.ignoreSubmodules all',
      ]
        .map((setting) => `git config --global ${setting}`)
        .join('\n'),
    )
    project.init('printf "1\\r\\n\\r\\n3\\r\\n" > a.txt; printf "1\\r\\n" > b.txt')
    project.sh('git config core.safecrlf true')
    await project.start()
    project.sh('printf "1\\r\\n\\r\\n4\\r\\n" > a.txt; printf "1\\n2\\r\\n" > b.txt')
    const diff = await project.read()
    expect(diff).toMatchObject({ source: 'git', files: [{ additions: 1, deletions: 1 }, {}] })
    expect(fileOf(diff, 'a.txt').diff).toMatch(
      /^diff --git a\/a.txt b\/a.txt\n.*\n--- a\/a.txt\n\+\+\+ b\/a.txt\n@@ -1,3 \+1,3 @@\n 1\n \n-3\n\+4\n$/,
    )
  })

  test('is found despite variables of a git hook that started the server', async () => {
    const hookVariables = {
      GIT_DIR: '/nowhere',
      GIT_INDEX_FILE: '/nowhere/index',
      GIT_WORK_TREE: '/',
    }
    project = await openProject()
    await project.restart({ env: { ...project.env, ...hookVariables, GIT_EXTERNAL_DIFF: 'false' } })
    project.init()
    await project.start()
    project.sh('echo 2 > a.txt')
    expect(await project.read()).toMatchObject({ source: 'git', files: [{ path: 'a.txt' }] })
  })
})

describe('the project directory', () => {
  test('below the top of a work tree: lists only its own files, by relative paths', async () => {
    project = await openProject()
    project.init(
      'mkdir -p "pro*ject/src" project; echo 1 > top; echo 1 > "pro*ject/src/a"; echo 1 > project/b',
    )
    const at = join(project.cwd, 'pro*ject')
    await project.start(at)
    project.sh('echo 2 > top; echo 2 > "pro*ject/src/a"; echo 2 > project/b; echo 2 > "pro*ject/c"')
    const diff = await project.read(at)
    expect(linesOf(diff)).toEqual(['added c', 'modified src/a'])
    expect(fileOf(diff, 'src/a').diff).toContain('--- a/src/a\n')
  })

  test('empty before or after the turn', async () => {
    project = await openProject()
    project.init()
    const at = join(project.cwd, 'new')
    mkdirSync(at)
    await project.start(at)
    project.sh('echo 1 > new/a')
    expect(linesOf(await project.read(at))).toEqual(['added a'])
    await project.start(at)
    project.sh('rm new/a')
    expect(linesOf(await project.read(at))).toEqual(['deleted a'])
  })

  test('in a repository without a commit', async () => {
    project = await openProject()
    project.sh('git init -q . && echo 1 > a && echo 1 > staged && git add staged')
    await project.start()
    project.sh('echo 2 > a; echo 2 > staged; echo 1 > b')
    expect(linesOf(await project.read())).toEqual(['modified a', 'added b', 'modified staged'])
  })

  test('in a linked work tree, with SHA-256 object ids', async () => {
    project = await openProject()
    project.sh(
      'git init -q --object-format=sha256 main && cd main && git config user.name me && git config user.email m@e',
    )
    project.sh(
      'cd main && echo 1 > a && git add a && git commit -qm first && git worktree add -q ../linked',
    )
    const at = join(project.cwd, 'linked')
    await project.start(at)
    project.sh('echo 2 > linked/a; echo 2 > main/a')
    const diff = await project.read(at)
    expect(diff).toMatchObject({ source: 'git', files: [{ path: 'a', additions: 1 }] })
  })

  test('in the middle of a merge', async () => {
    project = await openProject()
    project.init('mkdir in; echo 1 > in/a; echo 1 > out; echo 1 > in/gone')
    project.sh(
      'git checkout -qb other; echo 2 > in/a; echo 2 > out; echo 2 > in/gone; git commit -qam other',
    )
    project.sh(
      'git checkout -q main; echo 3 > in/a; echo 3 > out; git rm -q in/gone; git commit -qam mine',
    )
    project.sh('git merge other || true')
    for (const at of [project.cwd, join(project.cwd, 'in')]) {
      await project.start(at)
      expect(await project.read(at)).toMatchObject({ source: 'git', files: [] })
      project.sh('echo resolved >> in/a')
      const diff = await project.read(at)
      expect(diff.files).toMatchObject([{ status: 'modified', additions: 1, deletions: 0 }])
    }
  })

  test('with a submodule and a nested repository: lists what changed inside them', async () => {
    project = await openProject()
    const other = join(project.root, 'other')
    mkdirSync(other)
    project.init('echo 1 > in-other', other)
    project.init()
    project.sh(
      'git -c protocol.file.allow=always submodule --quiet add ../other sub && git commit -qm sub',
    )
    project.sh('git init -q nested && echo 1 > nested/a; git init -q empty')
    await project.start()
    expect((await project.read()).files).toEqual([])
    project.sh(
      'echo 2 > sub/in-other; echo 2 > nested/a; echo 3 > nested/b; git clone -q ../other cloned',
    )
    const diff = await project.read()
    expect(linesOf(diff)).toEqual([
      'added cloned/ huge',
      'modified nested/a',
      'added nested/b',
      'modified sub/in-other',
    ])
    expect(fileOf(diff, 'sub/in-other').diff).toContain('--- a/sub/in-other\n+++ b/sub/in-other\n')
    project.sh('cd sub && git -c user.name=m -c user.email=e commit -qam second')
    project.sh('rm -rf nested')
    expect(linesOf(await project.read())).toEqual([
      'added cloned/ huge',
      'deleted nested/ huge',
      'modified sub',
      'modified sub/in-other',
    ])
  })
})

describe('without git', () => {
  const readDiff = async (at?: string) => {
    await project.start(at)
    project.sh('echo 2 > a.txt')
    const { source, reason, files } = await project.read(at)
    return { source, reason, files }
  }

  test('no work tree: a plain directory, a bare repository, inside .git, ignored', async () => {
    project = await openProject()
    const none = { source: 'tools', reason: 'no_work_tree', files: [] }
    expect(await readDiff()).toEqual(none)
    project.sh('git init -q --bare bare.git')
    expect(await readDiff(join(project.cwd, 'bare.git'))).toEqual(none)
    project.init('echo ignored/ > .gitignore')
    expect(await readDiff(join(project.cwd, '.git'))).toEqual(none)
    mkdirSync(join(project.cwd, 'ignored', 'below'), { recursive: true })
    expect(await readDiff(join(project.cwd, 'ignored', 'below'))).toEqual(none)
    expect(await readDiff(join(project.cwd, 'nowhere'))).toEqual(none)
    expect(project.errors).toEqual([])
  })

  test('an ignored directory with tracked files is compared', async () => {
    project = await openProject()
    project.init(
      'echo ignored/ > .gitignore; mkdir ignored; echo 1 > ignored/kept; git add -f ignored/kept',
    )
    await project.start(join(project.cwd, 'ignored'))
    project.sh('echo 2 > ignored/kept')
    expect(linesOf(await project.read(join(project.cwd, 'ignored')))).toEqual(['modified kept'])
  })

  test('git is not installed', async () => {
    project = await openProject()
    project.init()
    await project.restart({ env: { ...project.env, PATH: project.home } })
    expect(await readDiff()).toEqual({ source: 'tools', reason: 'git_missing', files: [] })
  })

  test('git fails: the repository is damaged', async () => {
    project = await openProject()
    project.init()
    writeFileSync(join(project.cwd, '.git', 'index'), 'no index at all')
    expect(await readDiff()).toMatchObject({ source: 'tools', reason: 'git_failed' })
    expect(String(project.errors[0])).toContain('index')
  })

  test('the repository is removed or created during the turn', async () => {
    project = await openProject()
    project.init()
    await project.start()
    renameSync(join(project.cwd, '.git'), join(project.root, 'away'))
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'no_work_tree' })
    await project.start()
    renameSync(join(project.root, 'away'), join(project.cwd, '.git'))
    expect(await project.read()).toMatchObject({ source: 'tools', reason: 'no_work_tree' })
    const at = join(project.cwd, 'deeper')
    mkdirSync(at)
    await project.start(at)
    project.sh('git init -q .', at)
    expect(await project.read(at)).toMatchObject({ source: 'tools', reason: 'base_lost' })
    rmSync(at, { recursive: true })
    expect(await project.read(at)).toMatchObject({ source: 'tools', reason: 'no_work_tree' })
  })
})
