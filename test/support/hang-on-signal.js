// Loaded into a server with `--import`. After SIGUSR2, its file operations hang as on a broken disk: the
// opening of a pipe that nobody writes to occupies every thread that Node has for them.
import { spawnSync } from 'node:child_process'
import { open } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

process.on('SIGUSR2', () => {
  const pipe = join(tmpdir(), `hang-${process.pid}`)
  spawnSync('mkfifo', [pipe])
  for (let thread = 0; thread < 4; thread += 1) open(pipe, 'r', () => {})
  setTimeout(() => {
    spawnSync('rm', [pipe])
    process.stderr.write('the disk hangs\n')
  }, 100)
})
