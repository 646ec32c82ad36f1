import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { linesOf, openProject, type Project } from './project.ts'

let project: Project
afterEach(() => project.close())

const marker = () => join(project.root, 'ran')
/** A command that shows that it was run. */
const trap = () => `touch ${marker()}; cat`
const inGit = (path: string) => join(project.cwd, '.git', path)

const write = (path: string, content: string | Buffer, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content, { mode })
}

/** Latin-1: a name may have bytes that are not UTF-8. */
const filter = (name: string): Buffer =>
  Buffer.from(
    `[filter "${name}"]\n\tclean = ${trap()}\n\tprocess = ${trap()}\n\trequired = true\n`
      .replaceAll(';', '\\;')
      .replaceAll(/= (.*)$/gm, '= "$1"')
      .replaceAll('\\;', ';'),
    'latin1',
  )

const attributes = (name: string): Buffer => Buffer.from(`*.txt filter=${name}\n`, 'latin1')

/** Places the tricks of one repository. The work tree has `a.txt`, committed, and nothing else. */
const tricks: Record<string, () => void> = {
  'a filter with an equals sign in its name': () => {
    appendFileSync(inGit('config'), filter('a=b'))
    write(join(project.cwd, '.gitattributes'), attributes('a=b'))
  },
  'a filter whose name is not UTF-8': () => {
    appendFileSync(inGit('config'), filter('\xff\xfe'))
    write(join(project.cwd, '.gitattributes'), attributes('\xff\xfe'))
  },
  'a filter whose name looks like an option': () => {
    appendFileSync(inGit('config'), filter('--x.y'))
    write(join(project.cwd, '.gitattributes'), attributes('--x.y'))
  },
  'a filter in an included file': () => {
    write(inGit('more'), filter('x'))
    appendFileSync(inGit('config'), '[include]\n\tpath = more\n')
    write(inGit('info/attributes'), attributes('x'))
  },
  'a filter in a file that is included on a condition': () => {
    write(inGit('more'), filter('x'))
    appendFileSync(inGit('config'), `[includeIf "gitdir:**"]\n\tpath = ${inGit('more')}\n`)
    write(inGit('info/attributes'), attributes('x'))
  },
  'a filter in the settings of the work tree': () => {
    appendFileSync(inGit('config'), '[extensions]\n\tworktreeConfig = true\n')
    write(inGit('config.worktree'), filter('x'))
    write(inGit('info/attributes'), attributes('x'))
  },
  'a filter with its own file of attributes': () => {
    write(inGit('rules'), attributes('x'))
    appendFileSync(inGit('config'), filter('x'))
    project.sh('git config core.attributesFile .git/rules')
  },
  'a filter in a nested repository': () => {
    project.sh('git init -q nested')
    appendFileSync(join(project.cwd, 'nested/.git/config'), filter('a=b'))
    write(join(project.cwd, 'nested/.gitattributes'), attributes('a=b'))
    write(join(project.cwd, 'nested/a.txt'), 'one\n')
  },
  hooks: () => {
    for (const hook of ['post-index-change', 'pre-auto-gc', 'fsmonitor-watchman', 'post-checkout'])
      for (const folder of ['hooks', 'other'])
        write(inGit(`${folder}/${hook}`), `#!/bin/sh\n${trap()}\n`, 0o755)
    project.sh('git config core.hooksPath .git/other')
  },
  'settings that name programs': () => {
    write(join(project.cwd, '.gitattributes'), '*.txt diff=x merge=x\n')
    for (const name of [
      ...['core.fsmonitor', 'core.pager', 'core.editor', 'core.sshCommand', 'core.askPass'],
      ...['core.gitProxy', 'core.alternateRefsCommand', 'credential.helper', 'gpg.program'],
      ...['diff.external', 'diff.x.textconv', 'diff.x.command', 'merge.x.driver', 'pager.config'],
      ...['alias.diff-files', 'alias.update-index', 'uploadpack.packObjectsHook'],
    ])
      project.sh(`git config ${name} '${name.startsWith('alias') ? '!' : ''}${trap()}'`)
  },
  'a promised object that only a remote program has': () => {
    const blob = project.sh('git rev-parse HEAD:a.txt').trim()
    rmSync(inGit(`objects/${blob.slice(0, 2)}/${blob.slice(2)}`), { force: true })
    const settings = {
      'core.repositoryformatversion': '1',
      'extensions.partialClone': 'origin',
      'remote.origin.promisor': 'true',
      'remote.origin.url': `ext::touch ${marker()}`,
      'protocol.ext.allow': 'always',
      'remote.origin.uploadpack': trap(),
    }
    for (const [name, value] of Object.entries(settings))
      project.sh(`git config ${name} '${value}'`)
    project.sh('touch a.txt')
  },
  'a work tree elsewhere': () => {
    project.sh(`mkdir ../elsewhere; git config core.worktree ${project.root}/elsewhere`)
  },
}

describe('a hostile repository runs no program', () => {
  test.each(Object.keys(tricks))('%s', async (name) => {
    project = await openProject()
    project.init()
    tricks[name]?.()
    await project.start()
    project.sh('echo two > a.txt; [ ! -d nested ] || echo two > nested/a.txt')
    const diff = await project.read()
    expect(existsSync(marker())).toBe(false)
    if (name.includes('promised')) expect(diff).toMatchObject({ reason: 'base_lost' })
    else expect(linesOf(diff).join()).toMatch(/modified (nested\/)?a\.txt/)
  })

  test.each([
    ...['a filter with an equals sign in its name', 'a filter whose name is not UTF-8'],
    ...['a filter in an included file', 'a filter in the settings of the work tree'],
    ...['settings that name programs', 'a promised object that only a remote program has'],
  ])('the trap works, git itself runs it: %s', async (name) => {
    project = await openProject()
    project.init()
    tricks[name]?.()
    project.sh('echo two > a.txt; git status || true; git diff || true')
    expect(existsSync(marker())).toBe(true)
  })
})

describe('files behind a filter of the repository', () => {
  test('are compared by size and time, other files line by line', async () => {
    project = await openProject()
    project.init('echo one > a.txt; echo one > b.md')
    appendFileSync(inGit('config'), filter('lfs'))
    write(join(project.cwd, '.gitattributes'), attributes('lfs'))
    await project.start()
    project.sh('echo three > a.txt; echo two > b.md; echo new > c.txt')
    expect(linesOf(await project.read())).toEqual([
      'modified a.txt binary',
      'modified b.md',
      'added c.txt binary',
    ])
  })
})

describe('a hostile repository stops nothing', () => {
  const pipe = (path: string): void => {
    rmSync(path, { force: true })
    mkdirSync(dirname(path), { recursive: true })
    execFileSync('mkfifo', [path])
  }
  const readDiff = async () => {
    await project.start()
    project.sh('echo two > a.txt')
    return project.read()
  }

  test.each([
    ...['.git/config', '.git/packed-refs', '.git/info/exclude', '.git/info/attributes'],
    ...['.gitmodules', '.git/config.worktree', '.git/logs/HEAD', '.git/shallow', 'pipe'],
  ])('%s is a pipe: the diff is the same', async (path) => {
    project = await openProject()
    project.init()
    pipe(join(project.cwd, path))
    expect(linesOf(await readDiff())).toEqual(['modified a.txt'])
  })

  test.each([
    ['.git/index', 'git_failed'],
    ['.git/HEAD', 'no_work_tree'],
    ['.gitattributes', 'git_failed'],
    ['.gitignore', 'git_failed'],
  ])('%s is a pipe: git is not used', async (path, reason) => {
    project = await openProject()
    project.init()
    pipe(join(project.cwd, path))
    expect(await readDiff()).toMatchObject({ source: 'tools', reason })
  })

  test('.git itself, or what it names, is a pipe', async () => {
    project = await openProject()
    pipe(join(project.cwd, '.git'))
    expect(await readDiff()).toMatchObject({ reason: 'no_work_tree' })
    rmSync(join(project.cwd, '.git'))
    pipe(join(project.cwd, 'pipe'))
    write(join(project.cwd, '.git'), 'gitdir: pipe\n')
    expect(await readDiff()).toMatchObject({ reason: 'no_work_tree' })
  })

  test('a pipe that only git meets: git and its children are stopped', async () => {
    project = await openProject({ limits: { beginMs: 500, readMs: 500 } })
    project.init('mkdir deep; echo one > a.txt; echo one > deep/b.txt')
    pipe(join(project.cwd, 'deep/.gitignore'))
    expect(await readDiff()).toMatchObject({ source: 'tools', reason: 'timed_out' })
    expect(project.sh(`ps -eo args | grep -c "[l]s-files.*others" || true`).trim()).toBe('0')
  })

  test('a tracked file becomes a pipe', async () => {
    project = await openProject()
    project.init('echo one > a.txt; echo one > b.txt')
    await project.start()
    pipe(join(project.cwd, 'b.txt'))
    project.sh('echo two > a.txt')
    expect(linesOf(await project.read())).toContain('modified a.txt')
  })

  test('an index that is too large is not read', async () => {
    project = await openProject({ limits: { indexBytes: 10 } })
    project.init()
    expect(await readDiff()).toMatchObject({ source: 'tools', reason: 'git_failed' })
  })
})
