import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { agents } from '../../src/agents/table.ts'
import { findProjectFiles } from '../../src/trust/project-files.ts'
import { temporaryDirectory } from '../log/samples.ts'

const { pi, claude, gemini, qwen } = agents

/** A directory with some files. */
const project = (...paths: string[]): string => {
  const directory = realpathSync(temporaryDirectory('trust'))
  for (const path of paths) write(join(directory, path))
  return directory
}

const write = (path: string, text = ''): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const find = (directory: string, limits = {}) =>
  findProjectFiles(directory, [pi, claude], { files: 100, bytes: 1000, depth: 10, ...limits })

describe('the files that agents would load', () => {
  test('are found for each agent, text and other files are not', async () => {
    const directory = project(
      ...['.pi/extensions/evil.ts', '.pi/settings.json', '.agents/skills/a/SKILL.md'],
      ...['.mcp.json', '.claude/settings.local.json', '.claude/commands/deep/x.md'],
      ...['CLAUDE.md', 'AGENTS.md', '.pi/SYSTEM.md', '.claude/notes.md', 'src/index.ts'],
    )
    const { files } = await find(directory)
    expect(files).toEqual([
      { agent: 'pi', kind: 'settings', path: '.pi/settings.json' },
      { agent: 'pi', kind: 'extension', path: '.pi/extensions/evil.ts' },
      { agent: 'pi', kind: 'skill', path: '.agents/skills/a/SKILL.md' },
      { agent: 'claude', kind: 'settings', path: '.claude/settings.local.json' },
      { agent: 'claude', kind: 'mcp_servers', path: '.mcp.json' },
      { agent: 'claude', kind: 'command', path: '.claude/commands/deep/x.md' },
    ])
  })

  test('include those of directories above, where the agent looks there', async () => {
    const directory = project('.mcp.json', '.pi/extensions/a.ts', 'sub/.mcp.json')
    const { files } = await find(join(directory, 'sub'))
    expect(files.map(({ path }) => path)).toEqual(['.mcp.json', '../.mcp.json'])
  })

  test('do not include the user’s own settings in the home directory', async () => {
    const home = homedir()
    const { files } = await find(join(home, 'project'))
    expect(files.filter(({ path }) => path.startsWith('../.claude'))).toEqual([])
  })

  test('include the `.env` above that Gemini CLI and Qwen Code read, but not the one at home', async () => {
    const directory = project('.env', 'sub/.qwen/settings.json', 'sub/.gemini/policies/a.toml')
    const read = async (at: string) => (await findProjectFiles(at, [gemini, qwen])).files
    expect(await read(join(directory, 'sub'))).toEqual([
      { agent: 'gemini', kind: 'settings', path: '.gemini/policies/a.toml' },
      { agent: 'gemini', kind: 'settings', path: '../.env' },
      { agent: 'qwen', kind: 'settings', path: '.qwen/settings.json' },
      { agent: 'qwen', kind: 'settings', path: '../.env' },
    ])
    vi.stubEnv('HOME', directory)
    expect((await read(join(directory, 'sub'))).map(({ path }) => path)).toEqual([
      ...['.gemini/policies/a.toml', '.qwen/settings.json'],
    ])
    vi.unstubAllEnvs()
  })

  test('are none in a directory that does not exist', async () => {
    expect((await find(join(project(), 'nothing'))).files).toEqual([])
  })
})

describe('the hash', () => {
  test('changes with a name, a content and a link’s target, and with nothing else', async () => {
    const directory = project('.claude/hooks/a.sh', 'elsewhere/b.sh', 'README.md')
    symlinkSync('../../elsewhere/b.sh', join(directory, '.claude/hooks/b.sh'))
    const hash = async () => (await find(directory)).hash
    const first = await hash()
    expect(first).toMatch(/^[0-9a-f]{64}$/)
    write(join(directory, 'README.md'), 'changed')
    expect(await hash()).toBe(first)
    write(join(directory, 'elsewhere/b.sh'), 'changed')
    const second = await hash()
    write(join(directory, '.claude/hooks/c.sh'))
    const third = await hash()
    expect(new Set([first, second, third]).size).toBe(3)
    rmSync(join(directory, '.claude/hooks/c.sh'))
    expect(await hash()).toBe(second)
  })
})

describe('hostile directories', () => {
  test('a pipe, a loop of links and a dangling link end the search of nobody', async () => {
    const directory = project('.pi/extensions/a.ts')
    const inside = (name: string) => join(directory, '.pi/extensions', name)
    execFileSync('mkfifo', [inside('pipe.ts')])
    symlinkSync('.', inside('loop'))
    symlinkSync('../..', inside('up'))
    symlinkSync('nothing', inside('dangling.ts'))
    const { files, hash } = await find(directory)
    expect(hash).toBeDefined()
    expect(files.map(({ path }) => path)).toContain('.pi/extensions/pipe.ts')
    expect(files.map(({ path }) => path)).not.toContain('.pi/extensions/dangling.ts')
  })

  test('names with newlines, controls and invalid UTF-8 are told apart', async () => {
    const directory = project('.mcp.json')
    const folder = Buffer.from(`${directory}/.pi/extensions/`)
    mkdirSync(folder, { recursive: true })
    const names = [Buffer.from('a\nb\u202e.ts'), Buffer.from([0xff]), Buffer.from([0xfe])]
    for (const name of names) writeFileSync(Buffer.concat([folder, name]), '')
    const before = await find(directory)
    expect(before.files.map(({ path }) => path)).toContain('.pi/extensions/a\nb\u202e.ts')
    expect(before.files).toHaveLength(4)
    rmSync(Buffer.concat([folder, Buffer.from([0xfe])]))
    writeFileSync(Buffer.concat([folder, Buffer.from([0xfd])]), '')
    expect((await find(directory)).hash).not.toBe(before.hash)
  })

  test('too many files, too much content or too many folders have no hash', async () => {
    const many = project(...Array.from({ length: 30 }, (_, at) => `.pi/skills/${at}.md`))
    expect((await find(many)).hash).toBeDefined()
    expect((await find(many, { files: 20 })).hash).toBeUndefined()
    write(join(many, '.pi/settings.json'), 'x'.repeat(2000))
    expect((await find(many)).hash).toBeUndefined()
    const deep = project(`.pi/skills/${'d/'.repeat(30)}x.md`)
    expect((await find(deep)).hash).toBeUndefined()
    const empty = project()
    for (let at = 0; at < 30; at += 1)
      mkdirSync(join(empty, `.pi/skills/${at}`), { recursive: true })
    write(join(empty, '.pi/skills/x.md'))
    expect((await find(empty, { files: 20 })).hash).toBeUndefined()
  })
})
