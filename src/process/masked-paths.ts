import { accessSync, constants, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { mountAliases } from './mount-aliases.ts'

/** What an agent in the sandbox does not see. */
export interface MaskedPaths {
  /** Directories that are empty inside. */
  directories: string[]
  /** Those of them that cannot be written. */
  readOnly: string[]
  /** Directories above those, outermost first, that must keep their name. */
  pinned: string[]
  /** Files and sockets that cannot be opened inside. */
  files: string[]
}

/**
 * Finds what an agent must not see, among what exists now: the hidden directories and files, wherever
 * they are mounted; the profiles of browsers, whose cookies let a person in; and the sockets of programs that
 * run commands outside the sandbox for everybody who asks.
 */
export const maskedPaths = (
  hidden: readonly string[],
  more: readonly string[] = [],
): MaskedPaths => {
  const all = existing([...hidden, ...more]).flatMap(withAliases)
  const readOnly = all.filter(isDirectory)
  const others = existing([...browserProfiles(), ...commandSockets()])
  const isCovered = (path: string) => readOnly.some((above) => `${path}/`.startsWith(`${above}/`))
  const rest = others.filter((path) => !isCovered(path))
  const secrets = all.filter((path) => !isDirectory(path) && !isCovered(path))
  return {
    directories: unique([...readOnly, ...rest.filter(isDirectory)]),
    readOnly: unique(readOnly),
    pinned: unique([...readOnly, ...secrets].flatMap(renamableAbove)).sort(),
    files: unique([...secrets, ...rest.filter((path) => !isDirectory(path))]),
  }
}

const withAliases = (path: string): string[] => [path, ...mountAliases(path)]

/**
 * The directories above a path that we could rename. The server finds its data by path: an agent that
 * moves a directory above it away could put data of its own in its place.
 */
const renamableAbove = (path: string): string[] => {
  const above = dirname(path)
  if (above === path || above === dirname(above)) return []
  return [...renamableAbove(above), ...(isWritable(dirname(above)) ? [above] : [])]
}

const isWritable = (path: string): boolean => {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

const unique = (paths: readonly string[]): string[] => [...new Set(paths)]

/** The home directory of the environment, and that of the user. */
const homes = (): string[] => {
  try {
    return unique([homedir(), userInfo().homedir])
  } catch {
    return [homedir()]
  }
}

const profilesInConfig = [
  ...['chromium', 'google-chrome', 'google-chrome-beta', 'google-chrome-unstable'],
  ...['BraveSoftware', 'microsoft-edge', 'microsoft-edge-beta', 'microsoft-edge-dev'],
  ...['vivaldi', 'opera', 'mozilla'],
]
const profilesInSnap = ['chromium', 'firefox', 'brave', 'opera']
const profilesInFlatpak = [
  ...['org.chromium.Chromium', 'com.google.Chrome', 'com.brave.Browser', 'com.microsoft.Edge'],
  ...[
    'com.vivaldi.Vivaldi',
    'com.opera.Opera',
    'org.mozilla.firefox',
    'io.gitlab.librewolf-community',
  ],
]

const browserProfiles = (): string[] =>
  homes().flatMap((home) => [
    ...profilesInConfig.map((name) => join(home, '.config', name)),
    ...['.mozilla', '.librewolf', '.waterfox'].map((name) => join(home, name)),
    ...profilesInSnap.map((name) => join(home, 'snap', name)),
    ...profilesInFlatpak.map((name) => join(home, '.var', 'app', name)),
  ])

/** In the runtime directory: service managers, multiplexers, terminals, editors, window managers. */
const commandSocket =
  /^(?:bus|dbus-1|systemd|emacs|tmux|screen|zellij|wezterm|kitty.*|nvim.*|sway-ipc\..*|i3|hypr|niri\..*)$/

const namesIn = (path: string): string[] => {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Sockets of programs that run any command. */
const commandSockets = (): string[] => {
  const uid = process.getuid?.() ?? 0
  const { XDG_RUNTIME_DIR, TMUX_TMPDIR, DBUS_SESSION_BUS_ADDRESS } = process.env
  const runtime = unique([XDG_RUNTIME_DIR ?? '', `/run/user/${uid}`]).filter((path) => path !== '')
  const bus = /unix:path=([^,;]+)/.exec(DBUS_SESSION_BUS_ADDRESS ?? '')?.[1]
  return [
    ...runtime.flatMap((path) =>
      namesIn(path)
        .filter((name) => commandSocket.test(name))
        .map((name) => join(path, name)),
    ),
    ...(bus === undefined ? [] : [bus]),
    ...unique(['/tmp', '/var/tmp', TMUX_TMPDIR ?? '/tmp']).map((path) => join(path, `tmux-${uid}`)),
    ...['/run/screen', '/tmp/screens'],
    ...homes().map((home) => join(home, '.screen')),
    // Root may start any service of the machine.
    ...(uid === 0 ? ['/run/dbus', '/run/systemd/private'] : []),
  ]
}

/** The real paths of those that exist. */
const existing = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => {
    try {
      return [realpathSync(path)]
    } catch {
      return []
    }
  })

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
