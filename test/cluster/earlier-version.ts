import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../support/sluice.ts'

/**
 * The commit that stands for the version before this one: set it to the last release when one is made.
 * `SLUICE_TEST_UPGRADE_FROM` names another commit.
 */
const commit = process.env.SLUICE_TEST_UPGRADE_FROM ?? 'b2c45dfc'

/** Why there is no earlier version to test with; undefined when there is one. */
export const earlierVersionMissing = (): string | undefined => {
  const { status } = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root })
  return status === 0 ? undefined : `commit ${commit} is not in this checkout`
}

export interface EarlierVersion {
  /** The program that runs it. */
  readonly main: string
  remove(): void
}

/** Writes the sources of the earlier version into a temporary directory. */
export const unpackEarlierVersion = (): EarlierVersion => {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-earlier-'))
  const maxBuffer = 256 * 1024 * 1024
  const parts = ['package.json', 'bin', 'src', 'schema']
  const archive = execFileSync('git', ['archive', commit, ...parts], { cwd: root, maxBuffer })
  execFileSync('tar', ['-x', '-C', directory], { input: archive })
  // Its own dependencies are those of this version, or older ones that are compatible.
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
  return {
    main: join(directory, 'src/cli/main.js'),
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  }
}
