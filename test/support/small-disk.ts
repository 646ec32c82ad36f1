import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Whether this user may mount a disk. In CI, that is often not so: these tests are skipped then. */
export const canMount: boolean = (() => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const path = mkdtempSync(join(tmpdir(), 'sluice-mount-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path])
  if (status === 0) spawnSync('umount', [path])
  rmSync(path, { recursive: true })
  return status === 0
})()

if (!canMount) console.log('skipped: tests on a small disk (this user may not mount one)')

/** A real disk of a few megabytes, in memory. */
export interface SmallDisk {
  readonly path: string
  /** Fills the disk with a file until only so many bytes are free. */
  fill(freeBytes: number): void
  /** Deletes that file. */
  empty(): void
}

/** Mounts a small disk, until the test is over. */
export const mountSmallDisk = (megabytes: number): SmallDisk => {
  const { unmount, ...disk } = mountDisk(megabytes)
  onTestFinished(unmount)
  return disk
}

/** Mounts a small disk. */
export const mountDisk = (megabytes: number): SmallDisk & { unmount(): void } => {
  const path = mkdtempSync(join(tmpdir(), 'sluice-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path])
  const ballast = join(path, 'ballast')
  const free = () => {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  }
  return {
    path,
    fill(freeBytes) {
      const file = openSync(ballast, 'a')
      try {
        for (let left = free() - freeBytes; left > 0; left = free() - freeBytes)
          writeSync(file, Buffer.alloc(Math.min(left, 1024 * 1024)))
      } catch {
        // Somebody else has filled the rest.
      } finally {
        closeSync(file)
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    unmount() {
      // Lazily: a process that is just ending may still hold a file.
      execFileSync('umount', ['-l', path])
      rmSync(path, { recursive: true })
    },
  }
}
