import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { applyEdit, installEdit, removeEdit } from '../../src/hooks/install/hook-edits.ts'
import { hookTarget } from '../../src/hooks/install/hook-target.ts'
import { openReceipts } from '../../src/hooks/install/receipts.ts'

/** A home directory with settings of Claude Code, and a data directory in it. */
export const home = (settings?: string) => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-hooks-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const file = join(directory, '.claude', 'settings.json')
  const data = join(directory, '.sluice')
  if (settings !== undefined) {
    mkdirSync(join(directory, '.claude'))
    writeFileSync(file, settings)
  }
  const env = { HOME: directory, PATH: process.env.PATH ?? '' }
  const receipts = openReceipts(data)
  const target = (agent = 'claude', project?: string) => hookTarget(agent, project, env)
  const place = { node: '/bin/node', program: '/opt/sluice-hook.js', data }
  return {
    ...{ directory, file, data, env, receipts, target, place },
    install: (project?: string) =>
      applyEdit(installEdit(target('claude', project), place, receipts), receipts),
    remove: (project?: string) =>
      applyEdit(removeEdit(target('claude', project), receipts), receipts),
  }
}
