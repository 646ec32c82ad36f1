import { readdirSync } from 'node:fs'
import type { AgentDescription } from '../agents/agent.ts'
import { resolveLinks } from '../files/real-path.ts'
import { configPaths } from './agent-config.ts'
import type { MaskedPaths } from './masked-paths.ts'

/** A program to run in the sandbox. */
export interface SandboxedCommand {
  program: string
  args: readonly string[]
  cwd: string
  /** Further directories that it may write to. */
  directories?: readonly string[] | undefined
  /** The directory that a strict sandbox lets it write to. Default: `cwd`. */
  project?: string | undefined
  /** Its settings stay writable. */
  agent?: Pick<AgentDescription, 'config'> | undefined
  env?: NodeJS.ProcessEnv | undefined
  /** Set inside the sandbox only: variables such as LD_PRELOAD would run code in bubblewrap. */
  innerEnv?: NodeJS.ProcessEnv | undefined
}

export interface SandboxFlagsOptions {
  command: Omit<SandboxedCommand, 'args'>
  /** Flags that depend on the user: see `privilegesFor`. */
  privileges: readonly string[]
  /** Whether everything except the project is read-only. */
  isProject: boolean
  masks: MaskedPaths
}

/** The flags of bubblewrap for one agent. Later mounts cover earlier ones, so the order matters. */
export const sandboxFlags = (options: SandboxFlagsOptions): string[] => {
  const { command, privileges, isProject, masks } = options
  return [
    '--unshare-pid',
    // A killed server takes its agents with it.
    '--die-with-parent',
    // A group of its own below bubblewrap: a signal to it reaches the agent and not bubblewrap.
    '--new-session',
    // The place of a mount cannot be renamed or deleted.
    ...(isProject
      ? ['--ro-bind', '/', '/']
      : ['/', ...masks.pinned].flatMap((path) => ['--bind', path, path])),
    // Its own terminals: otherwise an agent could open the terminal that the server runs in.
    ...['--dev', '/dev'],
    ...devices().flatMap((path) => ['--dev-bind-try', path, path]),
    ...['--proc', '/proc'],
    ...privileges,
    ...(isProject ? projectMounts(command) : []),
    ...masks.directories.flatMap((path) => ['--tmpfs', path]),
    ...masks.readOnly.flatMap((path) => ['--remount-ro', path]),
    ...masks.files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...['--chdir', command.cwd],
  ]
}

/** Flags that set variables, as `--args` reads them: each one ends with a NUL. */
export const variableFlags = (variables: NodeJS.ProcessEnv): string => {
  const flags = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : ['--setenv', name, value],
  )
  if (flags.some((flag) => flag.includes('\0'))) throw new Error('A variable contains a NUL.')
  return flags.map((flag) => `${flag}\0`).join('')
}

const temporary = ['/tmp', '/var/tmp']

const projectMounts = (command: SandboxFlagsOptions['command']): string[] => {
  const { program, cwd, project = cwd, directories = [], agent, env } = command
  // The agent, Node, and the files that Sluice gives to agents.
  const needed = [program, process.execPath, import.meta.dirname]
  const covered = new Set(needed.flatMap(belowTemporary))
  return [
    ...temporary.flatMap((path) => ['--tmpfs', path]),
    ...['--setenv', 'TMPDIR', '/tmp'],
    ...[...covered].flatMap((path) => ['--ro-bind', path, path]),
    ...(agent ? configPaths(agent, env) : []).flatMap((path) => ['--bind-try', path, path]),
    ...directories.filter(isReal).flatMap((path) => ['--bind-try', path, path]),
    ...['--bind', project, project],
  ]
}

/** An agent that worked above a directory may have put a link there, which leads elsewhere. */
const isReal = (path: string): boolean => resolveLinks(path) === path

/** The first directory of a path below a temporary one, such as `/tmp/sluice`; none elsewhere. */
const belowTemporary = (path: string): string[] =>
  temporary.flatMap((above) => {
    const [first] = path.startsWith(`${above}/`) ? path.slice(above.length + 1).split('/') : []
    return first === undefined ? [] : [`${above}/${first}`]
  })

/** Graphics, sound and virtual machines. Disks and terminals of the machine are left out. */
const devices = (): string[] => {
  try {
    return readdirSync('/dev')
      .filter((name) => /^(?:dri|kfd|kvm|snd|nvidia.*)$/.test(name))
      .map((name) => `/dev/${name}`)
  } catch {
    return []
  }
}

/**
 * What root keeps: enough to install packages and change owners. Not what would lead out: mounts
 * (SYS_ADMIN), other processes (SYS_PTRACE), raw packets of the loopback device (NET_RAW), files by
 * their inode (DAC_READ_SEARCH), disks (MKNOD, SYS_RAWIO), modules.
 */
const capabilities = [
  ...['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'SETGID', 'SETUID'],
  ...['NET_BIND_SERVICE', 'SYS_CHROOT', 'SETFCAP', 'AUDIT_WRITE'],
]

/**
 * The flags that depend on the user, in the order in which they are tried. Bubblewrap makes a user
 * namespace for everybody except root. Root needs none, but may not be allowed to mount without one.
 */
export const privilegesFor = (uid: number): string[][] => {
  if (uid !== 0) return [[]]
  const kernel = [
    // Settings of the kernel can start programs outside the sandbox.
    ...['--ro-bind', '/sys', '/sys', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...['--ro-bind-try', '/proc/sysrq-trigger', '/proc/sysrq-trigger'],
  ]
  const kept = capabilities.flatMap((name) => ['--cap-add', `CAP_${name}`])
  return [
    [...kernel, '--cap-drop', 'ALL', ...kept],
    [...kernel, '--unshare-user', '--cap-drop', 'ALL'],
  ]
}
