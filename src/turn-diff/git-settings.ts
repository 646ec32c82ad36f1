import { join } from 'node:path'
import { readRegularFile } from '../files/read-regular-file.ts'
import type { Git } from './git.ts'
import { type RawPath, readable, recordsOf } from './git-format.ts'
import { turnDiffLimits } from './limits.ts'
import type { WorkTree } from './work-tree.ts'

/** What Sluice takes over from the user’s settings and from those of a repository. */
export interface TakenSettings {
  /** The text of our own settings file. */
  text: string
  /** The filters that are set up, as by Git LFS and git-crypt: `filter.` and a name. Never run. */
  filters: RawPath[]
  /** The user’s own files, unless they are in their usual place. */
  excludesFile: string | undefined
  attributesFile: string | undefined
}

/** Settings files of repositories that are larger are not read. */
const settingsBytes = 4 * 1024 * 1024

/**
 * Reads settings without applying them: git prints the user’s own, and a copy of the repository’s
 * without the files that it includes. Only values that name no program, file or address are taken.
 */
export const readSettings = async (
  git: Git,
  { gitDirectory, commonDirectory }: WorkTree,
  copy: (bytes: Buffer) => Promise<string>,
): Promise<TakenSettings> => {
  const user = settingsIn((await git(['config', '-z', '--list'])).stdout)
  const ofFile = async (path: string): Promise<Setting[]> => {
    const read = await readRegularFile(path, settingsBytes)
    if (typeof read === 'string') return []
    const list = ['config', '-z', '--no-includes', '-f', await copy(read.bytes), '--list']
    return settingsIn((await git(list)).stdout)
  }
  const shared = await ofFile(join(commonDirectory, 'config'))
  const hasOwn = isOn(lastOf(shared, 'extensions.worktreeconfig'))
  const own = hasOwn ? await ofFile(join(gitDirectory, 'config.worktree')) : []
  const all = [...user, ...shared, ...own]
  return {
    text: settingsText(all),
    filters: filtersIn(all),
    excludesFile: lastOf(user, 'core.excludesfile'),
    attributesFile: lastOf(user, 'core.attributesfile'),
  }
}

interface Setting {
  name: RawPath
  value: RawPath
}

/** With `-z`, a name ends with a newline, which no name contains. No newline means `true`. */
const settingsIn = (output: Buffer): Setting[] =>
  recordsOf(output).map((record) => {
    const end = record.indexOf('\n')
    if (end === -1) return { name: record, value: 'true' }
    return { name: record.slice(0, end), value: record.slice(end + 1) }
  })

const lastOf = (settings: readonly Setting[], wanted: string): string | undefined => {
  const found = settings.findLast(({ name }) => name === wanted)
  return found && readable(found.value)
}

const boolean = /^(true|false|yes|no|on|off|0|1)$/i
const isOn = (value: string | undefined): boolean => /^(true|yes|on|1)$/i.test(value ?? '')

/**
 * How files are read from and written to the work tree. With other values than the user’s, every
 * file or line would differ from the index.
 */
const taken: Readonly<Record<string, RegExp>> = {
  'core.autocrlf': /^(true|false|yes|no|on|off|0|1|input)$/i,
  'core.eol': /^(lf|crlf|native)$/i,
  'core.filemode': boolean,
  'core.symlinks': boolean,
  'core.ignorecase': boolean,
  'core.precomposeunicode': boolean,
  'core.trustctime': boolean,
  'core.checkstat': /^(default|minimal)$/i,
  'extensions.objectformat': /^(sha1|sha256)$/i,
}

/** Settings that are always the same. */
const fixed: Readonly<Record<string, string>> = {
  'core.bare': 'false',
  'core.repositoryformatversion': '1',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': '',
  'core.untrackedCache': 'false',
  'core.splitIndex': 'false',
  // Mixed line ends would be an error.
  'core.safecrlf': 'false',
  'core.quotePath': 'false',
  // A baseline that a power cut destroys is reported as lost; waiting for the disk costs more.
  'core.fsync': 'none',
  'core.bigFileThreshold': String(turnDiffLimits.fileBytes),
  'diff.suppressBlankEmpty': 'false',
  'gc.auto': '0',
  'protocol.allow': 'never',
}

const settingsText = (all: readonly Setting[]): string => {
  const chosen = Object.entries(taken).flatMap(([name, allowed]): [string, string][] => {
    const value = lastOf(all, name)
    return value !== undefined && allowed.test(value) ? [[name, value]] : []
  })
  return [...chosen, ...Object.entries(fixed)].map(([name, value]) => line(name, value)).join('')
}

/** One setting as its own section. Git reads a section that appears again as its continuation. */
const line = (name: string, value: string): string => {
  const [section = '', key = ''] = name.split('.')
  return `[${section}]\n\t${key} = ${value}\n`
}

const filtersIn = (settings: readonly Setting[]): RawPath[] => {
  const names = settings
    .map(({ name }) => name)
    .filter((name) => name.startsWith('filter.') && name.lastIndexOf('.') > 'filter'.length)
  return [...new Set(names.map((name) => name.slice(0, name.lastIndexOf('.'))))]
}
