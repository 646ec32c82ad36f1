import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  applyEdit,
  hookStatus,
  installEdit,
  removeEdit,
} from '../../src/hooks/install/hook-edits.ts'
import { askingTarget } from '../../src/hooks/install/hook-target.ts'
import { home } from './install-home.ts'

describe('a file of our own', () => {
  const ownFile = (agent: 'copilot' | 'pi') => {
    const rig = home()
    const target = rig.target(agent)
    const { path } = target
    return {
      ...{ ...rig, path },
      target: (asks = false) => ({ ...target, asks }),
      write(text: string) {
        mkdirSync(join(path, '..'), { recursive: true })
        writeFileSync(path, text)
      },
      install: (asks = false) =>
        applyEdit(installEdit({ ...target, asks }, rig.place, rig.receipts), rig.receipts),
      remove: () => applyEdit(removeEdit(target, rig.receipts), rig.receipts),
      state: () => hookStatus(target, rig.place).state,
    }
  }

  test.each(['copilot', 'pi'] as const)('of %s is made, found, and deleted', (agent) => {
    const { path, directory, install, remove, state } = ownFile(agent)
    expect(state()).toBe('none')
    install()
    expect(state()).toBe('installed')
    expect(readFileSync(path, 'utf8')).toContain('/opt/')
    remove()
    expect(existsSync(path)).toBe(false)
    // No directory is left either.
    expect(readdirSync(directory)).toEqual(['.sluice'])
    remove()
    expect(state()).toBe('none')
  })

  test('has the hooks of Copilot in the form that it takes', () => {
    const { path, install, state } = ownFile('copilot')
    install()
    const { version, hooks } = JSON.parse(readFileSync(path, 'utf8'))
    expect(version).toBe(1)
    expect(Object.keys(hooks)).not.toContain('PermissionRequest')
    expect(hooks.Stop).toMatchObject([{ type: 'command', timeoutSec: 5, sluice: true }])
    expect(hooks.Stop[0].bash).toContain('/opt/sluice-hook.js copilot user')
    install(true)
    expect(state()).toBe('asking')
    expect(JSON.parse(readFileSync(path, 'utf8')).hooks).toHaveProperty('PermissionRequest')
    install()
    expect(state()).toBe('installed')
  })

  test('keeps hooks of Copilot that a person has added', () => {
    const { path, install, remove } = ownFile('copilot')
    install()
    const { version, hooks } = JSON.parse(readFileSync(path, 'utf8'))
    const mine = { type: 'command', bash: 'say done' }
    writeFileSync(
      path,
      JSON.stringify({ version, hooks: { ...hooks, Stop: [mine, ...hooks.Stop] } }),
    )
    remove()
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ version, hooks: { Stop: [mine] } })
  })

  test('is not written over an extension of the person, and that is not deleted', () => {
    const { path, write, install, remove, state } = ownFile('pi')
    write('export default () => {}\n')
    expect(() => install()).toThrow('Sluice did not write it')
    remove()
    expect(readFileSync(path, 'utf8')).toBe('export default () => {}\n')
    expect(state()).toBe('none')
  })

  test('a directory with something else in it stays', () => {
    const { path, install, remove } = ownFile('copilot')
    install()
    writeFileSync(join(path, '../mine.json'), '{}')
    install(true)
    remove()
    expect(readdirSync(join(path, '..'))).toEqual(['mine.json'])
  })

  test('of another data directory is replaced', () => {
    const { path, target, place, receipts, install, state } = ownFile('pi')
    applyEdit(installEdit(target(), { ...place, data: '/other "place"' }, receipts), receipts)
    expect(state()).toBe('outdated')
    install()
    expect(state()).toBe('installed')
    expect(readFileSync(path, 'utf8')).not.toContain('other')
  })

  test('only an agent that leaves the choice has hooks that ask', () => {
    expect(() => askingTarget(ownFile('pi').target())).toThrow('ask already')
    expect(askingTarget(ownFile('copilot').target()).asks).toBe(true)
  })
})
