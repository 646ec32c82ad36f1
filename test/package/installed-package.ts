import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { run } from '../support/sluice.ts'

/** The packed package, installed in an empty directory as a user would install it. */
export interface InstalledPackage {
  /** The directory of the user's project. */
  directory: string
  /** The package inside its node_modules. */
  path: string
  tarball: string
  remove(): void
}

export const installPackage = async (): Promise<InstalledPackage> => {
  const parent = mkdtempSync(join(tmpdir(), 'sluice-package-'))
  // Examples put their data beside the project.
  const directory = join(parent, 'project')
  mkdirSync(directory)
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', directory])
  expect(packed, packed.stderr).toMatchObject({ code: 0 })
  const tarball = readdirSync(directory).find((name) => name.endsWith('.tgz')) ?? ''
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }')
  const args = ['install', '--no-audit', '--no-fund', '--prefer-offline', `./${tarball}`]
  const installed = await run('npm', args, { cwd: directory })
  expect(installed, installed.stderr).toMatchObject({ code: 0 })
  return {
    directory,
    path: join(directory, 'node_modules/sluice'),
    tarball: join(directory, tarball),
    remove: () => rmSync(parent, { recursive: true, force: true }),
  }
}
