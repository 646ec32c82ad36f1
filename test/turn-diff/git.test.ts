import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { contentOf, fileOf, linesOf, openProject, type Project } from './project.ts'

/** Real repositories, changed by a real shell. */
describe('turn diff of a work tree', () => {
  let project: Project
  afterEach(() => project.close())

  const startTurn = async (script?: string, before = '') => {
    project = await openProject()
    project.init(script)
    project.sh(before)
    const { timestamp } = await project.start()
    return timestamp
  }

  test('is empty if nothing changed', async () => {
    const since = await startTurn()
    expect(await project.read()).toEqual({ sessionId: 's', since, source: 'git', files: [] })
  })

  test('has a unified diff for each file, whoever changed it', async () => {
    await startTurn('printf "1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n" > a.txt; echo gone > b.txt')
    project.sh('sed -i s/5/five/ a.txt; rm b.txt; mkdir new; echo new > new/c.txt')
    const diff = await project.read()
    expect(linesOf(diff)).toEqual(['modified a.txt', 'deleted b.txt', 'added new/c.txt'])
    expect(diff.files.map(({ additions, deletions }) => [additions, deletions])).toEqual([
      [1, 1],
      [0, 1],
      [1, 0],
    ])
    const lines = fileOf(diff, 'a.txt').diff?.split('\n') ?? []
    expect([lines[0], ...lines.slice(2)]).toEqual([
      'diff --git a/a.txt b/a.txt',
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -2,7 +2,7 @@',
      ...[' 2', ' 3', ' 4', '-5', '+five', ' 6', ' 7', ' 8', ''],
    ])
    expect(fileOf(diff, 'new/c.txt')).toMatchObject({ size: 4 })
  })

  test('is a patch that git can apply in reverse', async () => {
    await startTurn(
      'seq 100 > a.txt; echo x > gone.txt; echo keep > "with space"; ln -s a.txt link',
    )
    const before = contentOf(project.cwd).filter((line) => !line.startsWith('.git'))
    project.sh(
      'sed -i "3d;50s/$/ more/" a.txt; rm gone.txt; printf "no newline" > "new file"; chmod +x "with space"; ln -sf elsewhere link',
    )
    const { files } = await project.read()
    writeFileSync(join(project.root, 'all.patch'), files.map(({ diff }) => diff).join(''))
    project.sh('git apply -R ../all.patch')
    const names = (lines: string[]) => lines.map((line) => line.split(' ').slice(0, 2))
    const after = contentOf(project.cwd).filter((line) => !line.startsWith('.git'))
    expect(names(after)).toEqual(names(before))
    expect(project.sh('git status --porcelain')).toBe('')
  })

  test('leaves out what was changed, staged or new before the turn', async () => {
    await startTurn(
      'echo 1 > staged; echo 1 > unstaged; echo 1 > both; echo 1 > removed',
      'echo 2 > staged; git add staged; echo 2 > unstaged; echo 2 > both; git add both; echo 3 > both; rm removed; echo new > untracked',
    )
    expect((await project.read()).files).toEqual([])
    project.sh('echo 9 >> both; echo 9 >> untracked; echo back > removed')
    const diff = await project.read()
    expect(linesOf(diff)).toEqual(['modified both', 'added removed', 'modified untracked'])
    expect(fileOf(diff, 'both').diff).toContain('@@ -1 +1,2 @@\n 3\n+9\n')
  })

  test('does not depend on git commands during the turn', async () => {
    await startTurn('echo 1 > a', 'echo new > untracked')
    project.sh(
      'echo 2 > a; echo 3 > b; git add -A; git commit -qm second; git checkout -q --orphan x',
    )
    project.sh('git rm -rq --cached .; rm -f .git/index')
    expect(linesOf(await project.read())).toEqual(['modified a', 'added b'])
  })

  test('leaves out ignored files, also if the rules are added during the turn', async () => {
    await startTurn(
      'echo "*.log" > .gitignore; echo x > forced.log; git add -f forced.log',
      'echo 1 > a.log; echo kept > kept.tmp',
    )
    project.sh('echo 2 > a.log; echo 2 > b.log; echo 2 > forced.log; echo "*.tmp" >> .gitignore')
    project.sh('echo new > new.tmp')
    expect(linesOf(await project.read())).toEqual(['modified .gitignore', 'modified forced.log'])
    project.sh('echo changed > kept.tmp')
    expect(linesOf(await project.read())).toContain('modified kept.tmp')
  })

  test('respects the user’s own ignore files', async () => {
    project = await openProject()
    project.init()
    project.sh('mkdir -p ../home/.config/git; echo "*.swp" > ../home/.config/git/ignore')
    project.sh('echo "*.mine" > .git/info/exclude')
    await project.start()
    project.sh('touch a.swp b.mine c.txt')
    expect(linesOf(await project.read())).toEqual(['added c.txt'])
  })

  test('shows a moved file as one file, also if it was edited', async () => {
    await startTurn('seq 100 > old; mkdir d; echo same > d/exact')
    project.sh('mkdir e; mv old e/new; echo 101 >> e/new; git mv d/exact e/exact')
    const diff = await project.read()
    expect(linesOf(diff)).toEqual(['renamed d/exact → e/exact', 'renamed old → e/new'])
    expect(fileOf(diff, 'e/new')).toMatchObject({ additions: 1, deletions: 0 })
    expect(fileOf(diff, 'e/new').diff).toContain('rename from old\nrename to e/new\n')
  })

  test('shows changed modes, links, and files that replace directories', async () => {
    await startTurn('echo 1 > mode; echo 1 > link; echo 1 > file; mkdir dir; echo 1 > dir/a')
    project.sh('chmod +x mode; rm link; ln -s mode link; rm file; mkdir file; echo 1 > file/in')
    project.sh('rm -r dir; echo 2 > dir; mkfifo pipe')
    const diff = await project.read()
    expect(fileOf(diff, 'mode').diff).toContain('old mode 100644\nnew mode 100755\n')
    expect(fileOf(diff, 'link')).toMatchObject({ status: 'modified', additions: 1, deletions: 1 })
    expect(fileOf(diff, 'link').diff).toMatch(/deleted file mode 100644[\s\S]*new file mode 120000/)
    expect(diff.files.map(({ path }) => path).sort()).toEqual(
      expect.arrayContaining(['dir', 'link', 'mode']),
    )
    expect(diff.files.map(({ path }) => path)).not.toContain('pipe')
    expect(linesOf(diff).join('\n')).toContain('file/in')
  })

  test('lists binary files without a diff', async () => {
    await startTurn('printf "\\0\\1" > a.bin; echo text > b')
    project.sh('printf "\\0\\2\\3" > a.bin; printf "\\0" > b')
    expect((await project.read()).files).toEqual([
      { path: 'a.bin', status: 'modified', kind: 'binary', size: 3 },
      { path: 'b', status: 'modified', kind: 'binary', size: 1 },
    ])
  })

  test('handles names with spaces, quotes, newlines, tabs and non-ASCII letters', async () => {
    const names = [
      'a b',
      'quo"te',
      "apo'strophe",
      'new\nline',
      '\ttab',
      'ünï/日本',
      '-n',
      ':(top)x',
      'back\\slash',
      '*',
      'constructor',
      '__proto__',
    ]
    await startTurn()
    const change = (text: string) => {
      project.sh('mkdir -p ünï')
      for (const name of names) writeFileSync(join(project.cwd, name), text)
    }
    change('1\n')
    await project.start()
    expect((await project.read()).files).toEqual([])
    change('2\n')
    const diff = await project.read()
    expect(diff.files.map(({ path }) => path).sort()).toEqual([...names].sort())
    expect(diff.files.every(({ diff }) => diff?.endsWith('@@ -1 +1 @@\n-1\n+2\n'))).toBe(true)
    expect(fileOf(diff, 'ünï/日本').diff).toContain('--- a/ünï/日本\n')
  })

  test('handles names and content that are not UTF-8', async () => {
    await startTurn()
    const name = Buffer.concat([Buffer.from(`${project.cwd}/caf`), Buffer.from([0xe9])])
    writeFileSync(name, Buffer.from([0xe9, 0x0a]))
    await project.start()
    expect((await project.read()).files).toEqual([])
    writeFileSync(name, Buffer.from([0xe8, 0x0a]))
    expect(linesOf(await project.read())).toEqual(['modified caf\uFFFD'])
  })

  test('handles content that looks like a diff', async () => {
    await startTurn('echo x > a; echo x > b')
    const text = 'diff --git a/z b/z\n--- a/z\n\rdiff --git a/y b/y\n\u2028diff --git a/x b/x\n'
    for (const name of ['a', 'b']) writeFileSync(join(project.cwd, name), text)
    const diff = await project.read()
    expect(
      diff.files.map(({ path, additions, diff }) => [path, additions, diff?.slice(0, 19)]),
    ).toEqual([
      ['a', 4, 'diff --git a/a b/a\n'],
      ['b', 4, 'diff --git a/b b/b\n'],
    ])
  })

  test('shows a change in the same second as the index, with the same size', async () => {
    await startTurn('git config core.trustctime false; echo one > a.txt')
    const file = join(project.cwd, 'a.txt')
    const past = 1_600_000_000
    utimesSync(file, past, past)
    project.sh('git add a.txt')
    writeFileSync(file, 'two\n')
    for (const each of [file, join(project.cwd, '.git/index')]) utimesSync(each, past, past)
    await project.start()
    project.sh('echo one > a.txt')
    expect(fileOf(await project.read(), 'a.txt').diff).toContain('-two\n+one\n')
  })
})
