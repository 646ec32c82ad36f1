// Ends the server when the npm that started it is gone. npm does not always pass signals on, and one that
// is killed cannot.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const checkMs = 1000

/** Watches the processes between this one and npm. Without npm, the server may outlive what started it. */
export const watchLauncher = async () => {
  if (process.env.npm_lifecycle_event === undefined) return
  const launchers = await findLaunchers(process.ppid)
  const timer = setInterval(() => {
    if (launchers.every(isRunning)) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, checkMs)
  timer.unref()
}

/** `scripts/ready.js`, and above it npm, which may have started it through a shell. */
const findLaunchers = async (ready) => {
  const above = await parentOf(ready)
  if (!above) return [ready]
  const isShell = /(?:^|[/-])(?:ba|da|z|k|fi)?sh$/.test(above.name)
  const npm = isShell ? await parentOf(above.pid) : undefined
  return [ready, above.pid, ...(npm ? [npm.pid] : [])].filter((pid) => pid > 1)
}

const parentOf = async (pid) => {
  try {
    const { stdout } = await run('ps', ['-o', 'ppid=', '-p', `${pid}`])
    const parent = Number(stdout)
    const { stdout: name } = await run('ps', ['-o', 'comm=', '-p', `${parent}`])
    return { pid: parent, name: name.trim() }
  } catch {
    return undefined
  }
}

const isRunning = (pid) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
