import { readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isInside } from '../files/is-inside.ts'

/** One line of the kernel’s list of mounts. */
interface Mount {
  /** The file system, as `major:minor`. */
  device: string
  /** The directory of the file system that is mounted. */
  root: string
  /** Where it is mounted. */
  point: string
}

/**
 * Other paths of a directory, or of directories inside it: one file system can be mounted at several
 * places. Empty where /proc does not exist.
 */
export const mountAliases = (directory: string, mountinfo: string = readMounts()): string[] => {
  const mounts = mountinfo.split('\n').flatMap(parseMount)
  const own = mounts
    .filter(({ point }) => isInside(directory, point))
    // The last one covers earlier ones at the same place.
    .reduce<Mount | undefined>((best, each) => (isLonger(each, best) ? each : best), undefined)
  if (!own) return []
  const inside = join(own.root, relative(own.point, directory))
  return mounts
    .filter((mount) => mount !== own && mount.device === own.device)
    .flatMap(({ root, point }) => {
      if (isInside(inside, root)) return [join(point, relative(root, inside))]
      return isInside(root, inside) ? [point] : []
    })
    .filter((path) => path !== directory && !isInside(path, directory) && isReachable(path))
}

const isLonger = (mount: Mount, best: Mount | undefined): boolean =>
  best === undefined || mount.point.length >= best.point.length

/** Another mount may cover it. */
const isReachable = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const parseMount = (line: string): Mount[] => {
  const [, , device, root, point] = line.split(' ')
  if (device === undefined || root === undefined || point === undefined) return []
  return [{ device, root: withoutEscapes(root), point: withoutEscapes(point) }]
}

/** The kernel writes spaces and other separators as octal numbers. */
const withoutEscapes = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  )

const readMounts = (): string => {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8')
  } catch {
    return ''
  }
}
