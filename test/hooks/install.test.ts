import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { applyEdit, installEdit } from '../../src/hooks/install/hook-edits.ts'
import { sluice } from '../support/sluice.ts'
import { home } from './install-home.ts'

const settings = `{\n  "model": "opus",\n  "hooks": {\n    "PreToolUse": [],\n    "Stop": [{"hooks":[{"type":"command","command":"say done"}]}]\n  }\n}\n`

describe('installing hooks', () => {
  test('and removing them gives back every byte, with the mode of the file', () => {
    const { file, install, remove } = home(settings)
    chmodSync(file, 0o640)
    install()
    expect(readFileSync(file, 'utf8')).toContain('sluice-hook.js')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    remove()
    expect(readFileSync(file, 'utf8')).toBe(settings)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(readdirSync(join(file, '..'))).toEqual(['settings.json'])
  })

  test('twice changes nothing, and another data directory replaces them', () => {
    const { file, install, remove, receipts, target, place } = home(settings)
    install()
    const once = readFileSync(file, 'utf8')
    install()
    expect(readFileSync(file, 'utf8')).toBe(once)
    applyEdit(installEdit(target(), { ...place, data: '/other place' }, receipts), receipts)
    expect(readFileSync(file, 'utf8')).toContain("'/other place'")
    expect(readFileSync(file, 'utf8').length - once.length).toBeLessThan(500)
    remove()
    expect(readFileSync(file, 'utf8')).toBe(settings)
  })

  test('makes the file if there is none, and removing deletes it', () => {
    const { file, install, remove } = home()
    install()
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['hooks'])
    remove()
    expect(existsSync(file)).toBe(false)
  })

  test('later changes of the person stay', () => {
    const { file, install, remove } = home()
    install()
    const changed = { model: 'opus', ...JSON.parse(readFileSync(file, 'utf8')) }
    writeFileSync(file, JSON.stringify(changed))
    remove()
    expect(readFileSync(file, 'utf8')).toBe('{"model":"opus"}')
  })

  test('keeps a symbolic link of the user, and writes what it leads to', () => {
    const { directory, file, install, remove } = home(settings)
    const real = join(directory, 'dotfiles.json')
    execFileSync('mv', [file, real])
    symlinkSync(real, file)
    install()
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(real, 'utf8')).toContain('sluice-hook.js')
    remove()
    expect(readFileSync(real, 'utf8')).toBe(settings)
  })

  test('a project cannot lead it to files outside', () => {
    const { directory, install, file } = home(settings)
    const project = join(directory, 'project')
    mkdirSync(join(project, '.claude'), { recursive: true })
    symlinkSync(file, join(project, '.claude', 'settings.local.json'))
    expect(() => install(project)).toThrow('outside the project')
    expect(readFileSync(file, 'utf8')).toBe(settings)
  })

  test.each([
    ['broken JSON', (file: string) => writeFileSync(file, '{"a":'), 'no valid JSON'],
    [
      'bytes that are no text',
      (file: string) => writeFileSync(file, Buffer.from([0x7b, 0xff])),
      'no UTF-8',
    ],
    ['a pipe', (file: string) => void spawnSync('mkfifo', [file]), 'no regular file'],
    ['a directory', (file: string) => mkdirSync(file), 'no regular file'],
    [
      'a link to nothing',
      (file: string) => symlinkSync('/nowhere/at/all', file),
      'link to nothing',
    ],
    [
      'a large file',
      (file: string) => writeFileSync(file, `{"a":"${'x'.repeat(2 ** 20)}"}`),
      'larger than 1 MiB',
    ],
    [
      'a file with two names',
      (file: string) => {
        writeFileSync(file, '{}')
        linkSync(file, `${file}.other`)
      },
      'several names',
    ],
  ])('%s is refused and stays', (_, make, reason) => {
    const { directory, file, install } = home()
    mkdirSync(join(directory, '.claude'))
    make(file)
    const before = lstatSync(file)
    expect(() => install()).toThrow(reason)
    const { ino, mtimeMs, size } = lstatSync(file)
    expect({ ino, mtimeMs, size }).toEqual({
      ino: before.ino,
      mtimeMs: before.mtimeMs,
      size: before.size,
    })
  })

  test('a read-only file is not replaced', () => {
    const { file, install } = home(settings)
    chmodSync(file, 0o444)
    expect(install).toThrow('read-only')
    expect(readFileSync(file, 'utf8')).toBe(settings)
  })

  test('a file that is deleted meanwhile has no hooks any more', () => {
    const { file, install, remove } = home(settings)
    install()
    rmSync(file)
    remove()
    expect(existsSync(file)).toBe(false)
  })

  test('a file that changes in between is not overwritten', () => {
    const { file, place, receipts, target } = home(settings)
    const edit = installEdit(target(), place, receipts)
    writeFileSync(file, '{"newer":true}')
    expect(() => applyEdit(edit, receipts)).toThrow('has just changed')
    expect(readFileSync(file, 'utf8')).toBe('{"newer":true}')
  })

  test('receipts have no text of the settings, which may be secret', () => {
    const { data, install } = home('{"env":{"KEY":"sk-secret"}}')
    install()
    expect(readFileSync(join(data, 'hooks.json'), 'utf8')).not.toContain('secret')
    expect(statSync(join(data, 'hooks.json')).mode & 0o777).toBe(0o600)
  })
})

describe('sluice hooks', () => {
  const hooks = (env: Record<string, string>, ...args: string[]) =>
    sluice(['hooks', ...args], { env })

  test('shows the change, writes it only with --yes, lists it, and takes it back', async () => {
    const { file, env } = home(settings)
    const asked = await hooks(env, 'install', 'claude')
    expect(asked.stdout).toContain('+    "PermissionRequest"')
    expect(asked.stderr).toContain('add --yes')
    expect(asked.code).not.toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(settings)
    const done = await hooks(env, 'install', 'claude', '--yes')
    expect(done.stdout).toContain('Installed the hooks of Claude Code')
    expect(done.stdout).toContain('bypassPermissions')
    const status = await hooks(env, 'status', '--json')
    const rows = status.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(rows.map(({ agent, state }) => [agent, state])).toEqual([
      ['claude', 'installed'],
      ['codex', 'none'],
      ['qwen', 'none'],
      ['gemini', 'none'],
      ['copilot', 'none'],
      ['pi', 'none'],
    ])
    const words = (await hooks(env, 'status')).stdout
    expect(words).toContain('Claude Code: hooks installed (asks here)')
    expect(words).toContain('Can ask here, but no hooks: codex, qwen, pi')
    expect(words).toContain('Can report here, but no hooks: gemini, copilot')
    const removed = await hooks(env, 'remove', 'claude', '--yes')
    expect(removed.code).toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(settings)
  })

  test('says so when another entry switches all hooks off', async () => {
    const { env } = home('{"hooks":{"Stop":[{"hooks":[{"type":"command","timeout":"5"}]}]}}')
    const done = await hooks(env, 'install', 'claude', '--yes')
    expect(done.stderr).toContain('ignores every hook of this file')
    expect(done.code).toBe(1)
  })

  test('says plainly which agents cannot ask', async () => {
    const { env } = home()
    const opencode = await hooks(env, 'install', 'opencode')
    expect(opencode.stderr).toContain('There is nothing to install')
    const gemini = await hooks(env, 'install', 'gemini', '--yes')
    expect(gemini.stdout).toContain('not allow one in place of a person')
  })
})
