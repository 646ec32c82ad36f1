import { type ChildProcess, spawn } from 'node:child_process'
import { markVariable } from './proc.ts'

/**
 * Reads the pid of the agent, then a line when the agent has ended. Before that line, the end of the
 * input means that Sluice was killed: the group of the agent and everything with its mark gets SIGKILL,
 * three times, because a process can start another one meanwhile.
 *
 * The first line takes off a mark that Sluice has itself, if an agent has started it.
 */
const script = `
ulimit -S -w unlimited 2>/dev/null || ulimit -S -x unlimited 2>/dev/null
mark=$1 variable=$2 pid=
read -r pid && read -r ended && exit
marked() {
  if [ -r /proc/self/environ ]; then
    grep -ls -e "^Max file locks  *$mark " -e "$variable=$mark" /proc/[0-9]*/limits /proc/[0-9]*/environ |
      cut -d / -f 3
  else
    ps -axEww -o pid=,command= | awk -v "text=$variable=$mark" 'index($0, text) { print $1 }'
  fi
}
for round in 1 2 3; do
  [ -n "$pid" ] && kill -9 -- "-$pid"
  for each in $(marked); do kill -9 "$each"; done
done 2>/dev/null`

/**
 * Starts a shell that outlives this process for a moment: it waits for the end of a pipe that only
 * this process holds open, and then kills the agent with this mark. It has a session of its own, so
 * that no signal for Sluice reaches it.
 */
const startGuard = (mark: number): ChildProcess => {
  const guard = spawn('/bin/sh', ['-c', script, 'sluice-guard', `${mark}`, markVariable], {
    cwd: '/',
    env: { PATH: process.env.PATH },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  return guard
}

/** An agent with the guard that ends it when this process is killed. */
export interface GuardedAgent {
  child: ChildProcess
  /** Ends the guard. Called when the agent has ended: its pid may soon belong to another process. */
  endGuard(): void
}

/** Starts an agent with a guard. The guard is there first: no agent works without it. */
export const startGuarded = (mark: number, start: () => ChildProcess): GuardedAgent => {
  const guard = startGuard(mark)
  // If it cannot be started, the next server ends what this one left behind.
  guard.on('error', () => {})
  guard.stdin?.on('error', () => guard.stdin?.destroy())
  const endGuard = () => void guard.stdin?.end('\n\n')
  try {
    const child = start()
    child.on('error', endGuard)
    if (child.pid !== undefined) guard.stdin?.write(`${child.pid}\n`)
    return { child, endGuard }
  } catch (cause) {
    endGuard()
    throw cause
  }
}
