import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mountAliases } from '../../src/process/mount-aliases.ts'
import { root } from '../support/sluice.ts'

describe('other paths of a directory', () => {
  let base = ''
  beforeEach(() => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'sluice mounts-')))
    for (const name of ['data/turns', 'mirror/data', 'part'])
      mkdirSync(join(base, name), { recursive: true })
  })
  afterEach(() => rmSync(base, { recursive: true, force: true }))

  test('are found in the list of mounts: of what is above it, and of what is inside', () => {
    const escaped = base.replaceAll(' ', '\\040')
    const mounts = [
      '22 1 254:0 / / rw - ext4 /dev/vda rw',
      `23 22 254:0 ${escaped} ${escaped}/mirror rw - ext4 /dev/vda rw`,
      `24 22 254:0 ${escaped}/data/turns ${escaped}/part rw - ext4 /dev/vda rw`,
      `25 22 254:0 /somewhere/else /mnt rw - ext4 /dev/vda rw`,
      `26 22 0:99 ${escaped} /opt rw - tmpfs tmpfs rw`,
    ].join('\n')
    expect(mountAliases(join(base, 'data'), mounts)).toEqual([
      join(base, 'mirror', 'data'),
      join(base, 'part'),
    ])
  })

  const mountProbe = spawnSync('unshare', ['-Urm', 'true'])
  const canMount = mountProbe.status === 0
  if (!canMount) console.log('skipped: real bind mounts: this user may not mount')

  test.skipIf(!canMount)('are found for a real bind mount', () => {
    writeFileSync(join(base, 'data', 'sluice.db'), '')
    const script = `mount --bind "${base}" "${base}/mirror" && "${process.execPath}" --input-type=module -e '
      import { mountAliases } from "${root}src/process/mount-aliases.ts"
      console.log(JSON.stringify(mountAliases("${base}/data")))'`
    const printed = execFileSync('unshare', ['-Urm', 'bash', '-c', script], { encoding: 'utf8' })
    expect(JSON.parse(printed)).toContain(join(base, 'mirror', 'data'))
  })
})
