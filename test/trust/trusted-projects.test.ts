import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { claude } from '../../src/agents/claude/index.ts'
import { pi } from '../../src/agents/pi/index.ts'
import { openMemoryLog } from '../../src/log/memory/memory-log.ts'
import { createTrustedProjects } from '../../src/trust/trusted-projects.ts'
import { temporaryDirectory } from '../log/samples.ts'

const setUp = async (limits?: { files: number; bytes: number; depth: number }) => {
  const path = realpathSync(temporaryDirectory('trust'))
  const projects = createTrustedProjects({
    log: await openMemoryLog(),
    agents: [pi, claude],
    now: () => 1000,
    ...(limits && { limits }),
  })
  const write = (text: string) => writeFileSync(join(path, '.mcp.json'), text)
  const hash = async () => (await projects.look(path)).hash ?? ''
  return { path, projects, write, hash }
}

test('a directory is asked about until a person decides, and again when its files change', async () => {
  const { path, projects, write, hash } = await setUp()
  const nothing = { path, state: 'not_needed', files: [], fileCount: 0, agents: [] }
  expect(await projects.look(path)).toEqual(nothing)
  write('one')
  expect(await projects.look(path)).toMatchObject({ state: 'undecided', fileCount: 1 })
  const trusted = await projects.decide({ path, hash: await hash(), trusted: true }, 'Ann')
  expect(trusted).toMatchObject({ state: 'trusted', by: 'Ann', decidedAt: 1000 })
  write('two')
  expect(await projects.look(path)).toMatchObject({ state: 'changed', by: 'Ann' })
  await projects.decide({ path, hash: await hash(), trusted: false }, 'Bob')
  expect(await projects.look(path)).toMatchObject({ state: 'declined', by: 'Bob' })
  write('one')
  expect(await projects.look(path)).toMatchObject({ state: 'changed' })
  await projects.forget(path)
  expect(await projects.look(path)).toMatchObject({ state: 'undecided' })
})

test('a decision about other files than the present ones is refused', async () => {
  const { path, projects, write, hash } = await setUp()
  write('harmless')
  const seen = await hash()
  write('evil')
  const decision = projects.decide({ path, hash: seen, trusted: true }, 'Ann')
  await expect(decision).rejects.toMatchObject({ status: 409, code: 'project_changed' })
  expect(await projects.look(path)).toMatchObject({ state: 'undecided' })
})

test('a decision is about one real directory: not a directory below, but every link to it', async () => {
  const { path, projects, write, hash } = await setUp()
  write('')
  const link = join(temporaryDirectory('trust'), 'link')
  symlinkSync(path, link)
  await projects.decide({ path: link, hash: await hash(), trusted: true }, 'Ann')
  expect(await projects.look(path)).toMatchObject({ path, state: 'trusted' })
  const { state } = await projects.look(realpathSync(temporaryDirectory('trust')))
  expect(state).toBe('not_needed')
})

test('a directory with too many files cannot be trusted', async () => {
  const { path, projects, write } = await setUp({ files: 10, bytes: 3, depth: 5 })
  write('four')
  expect(await projects.look(path)).toMatchObject({ state: 'too_large' })
  const decision = projects.decide({ path, hash: '0'.repeat(64), trusted: true }, 'Ann')
  await expect(decision).rejects.toMatchObject({ code: 'project_changed' })
})

test.for([
  ['.pi/skills/a.md', '.pi/skills/b.md', '.pi/skills/c.md'],
  [`.pi/extensions/a/${'d/'.repeat(6)}x.md`, '.pi/extensions/evil.ts'],
])('agents start without the files of a directory with too many: %s', async (harmless) => {
  const { path, projects } = await setUp({ files: 2, bytes: 1000, depth: 5 })
  for (const each of [...harmless, '.claude/settings.json']) {
    mkdirSync(dirname(join(path, each)), { recursive: true })
    writeFileSync(join(path, each), '{}')
  }
  expect((await projects.look(path)).state).toBe('too_large')
  const asClaude = await projects.start(claude, '/bin/true', path)
  expect(asClaude).toMatchObject({ leftOut: ['.claude/settings.json'] })
  expect(asClaude.args).toContain('--setting-sources')
  expect((await projects.start(pi, '/bin/true', path)).args).toContain('--no-extensions')
})

test('many harmless files do not hide the ones that run programs', async () => {
  const { path, projects, write } = await setUp()
  mkdirSync(join(path, '.pi/skills'), { recursive: true })
  for (let at = 0; at < 300; at += 1) writeFileSync(join(path, `.pi/skills/${at}.md`), '')
  write('')
  const { files, fileCount, agents: loading } = await projects.look(path)
  expect(files[0]).toMatchObject({ path: '.mcp.json', agent: 'claude' })
  expect([files.length, fileCount, loading]).toEqual([200, 301, ['pi', 'claude']])
})
