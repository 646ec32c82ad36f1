import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pageHeaders } from '../auth/headers.ts'
import type { RouteResponse } from './send-response.ts'

/** The parts of a request that decide which file is sent. */
export interface FileRequest {
  /** The path of the URL, still encoded. */
  path: string
  acceptEncoding: string
  ifNoneMatch: string
}

/** The files of the web app, as the build wrote them. */
export interface WebFiles {
  /**
   * A file by its path, the page for every path without an extension, or 304 when the client has the
   * file already. Undefined when there is no such file.
   */
  get(request: FileRequest): Promise<RouteResponse | undefined>
}

export const createWebFiles = (directory: string): WebFiles => ({
  async get({ path, acceptEncoding, ifNoneMatch }) {
    const requested = safePath(path)
    if (requested === undefined) return undefined
    // Paths without an extension are routes inside the app; a missing file must not become the page.
    const name = extname(requested) === '' ? '/index.html' : requested
    const target = join(directory, name)
    const found = (await compressedFile(target, acceptEncoding)) ?? (await fileAt(target))
    if (!found) return undefined
    const { file, size, etag, encoding } = found
    const headers = {
      ...pageHeaders,
      'Content-Type': types[extname(name)] ?? 'application/octet-stream',
      'Cache-Control': isHashed(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: etag,
      Vary: 'Accept-Encoding',
    }
    if (ifNoneMatch === etag) return { status: 304, headers }
    return {
      status: 200,
      headers: {
        ...headers,
        'Content-Length': String(size),
        ...(encoding !== undefined && { 'Content-Encoding': encoding }),
      },
      chunks: createReadStream(file),
    }
  },
})

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json',
}

/** Vite puts a hash of the content into the names of assets, so their content never changes. */
const isHashed = (name: string): boolean => /^\/assets\/.+-[\w-]{8,}\.\w+$/.test(name)

/** A decoded path that stays inside the directory; undefined for all others. */
const safePath = (path: string): string | undefined => {
  try {
    const decoded = decodeURIComponent(path)
    const isSafe = /^(?:\/[\w@~+-][\w@~+.-]*)*\/?$/.test(decoded)
    return isSafe ? decoded.replace(/(?<=.)\/$/, '') : undefined
  } catch {
    return undefined
  }
}

/** The copies that the build writes beside a file, the smallest first. */
const copies = [
  { encoding: 'br', extension: '.br' },
  { encoding: 'gzip', extension: '.gz' },
] as const

/** The smallest copy of a file that a client accepts; undefined if there is none. */
const compressedFile = async (file: string, acceptEncoding: string): Promise<Found | undefined> => {
  for (const { encoding, extension } of copies) {
    if (!accepts(acceptEncoding, encoding)) continue
    const found = await fileAt(file + extension)
    if (found) return { ...found, encoding }
  }
  return undefined
}

/** Whether an `Accept-Encoding` header names an encoding, and not with `q=0`. */
const accepts = (header: string, encoding: string): boolean =>
  header.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !parameters.some((part) => /^q=0(?:\.0*)?$/.test(part))
  })

interface Found {
  readonly file: string
  readonly size: number
  readonly etag: string
  readonly encoding?: string
}

const fileAt = async (file: string): Promise<Found | undefined> => {
  try {
    const found = await stat(file)
    if (!found.isFile()) return undefined
    const { size, mtimeMs } = found
    return { file, size, etag: `"${size.toString(36)}-${mtimeMs.toString(36)}"` }
  } catch {
    return undefined
  }
}
