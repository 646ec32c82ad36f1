import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes every flush of a process fail with EIO, as a broken disk does, from a moment on. */
export interface FailingFlush {
  /** The environment that the process needs. */
  readonly env: NodeJS.ProcessEnv
  /** Every later flush fails. */
  breakDisk(): void
  /** Every later flush works again. */
  repairDisk(): void
  remove(): void
}

const source = `
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int is_broken(void) {
  const char *file = getenv("BROKEN_DISK");
  return file && access(file, F_OK) == 0;
}
int fdatasync(int fd) {
  if (is_broken()) { errno = EIO; return -1; }
  return syscall(SYS_fdatasync, fd);
}
int fsync(int fd) {
  if (is_broken()) { errno = EIO; return -1; }
  return syscall(SYS_fsync, fd);
}
`

/** Compiles a library that is loaded before the C library; undefined where that is not possible. */
export const createFailingFlush = (): FailingFlush | undefined => {
  if (process.platform !== 'linux') return undefined
  const directory = mkdtempSync(join(tmpdir(), 'sluice-flush-'))
  const library = join(directory, 'flush.so')
  const mark = join(directory, 'broken')
  const { status } = spawnSync('gcc', ['-shared', '-fPIC', '-x', 'c', '-o', library, '-'], {
    input: source,
  })
  const remove = () => rmSync(directory, { recursive: true, force: true })
  if (status !== 0) {
    remove()
    console.log('skipped: tests with a flush that fails (there is no gcc)')
    return undefined
  }
  return {
    env: { LD_PRELOAD: library, BROKEN_DISK: mark },
    breakDisk: () => writeFileSync(mark, ''),
    repairDisk: () => rmSync(mark, { force: true }),
    remove,
  }
}
