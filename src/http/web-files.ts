import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { pageHeaders } from '../auth/headers.ts'
import type { StreamedBody } from './send-stream.ts'

/** What of a request matters for a file. */
export interface FileRequest {
  /** As it stands in the address. */
  path: string
  acceptEncoding: string
  ifNoneMatch: string
}

/** A file to send, or the news that whoever asks has it already. */
export type FileAnswer = StreamedBody | { headers: Record<string, string>; source?: undefined }

/** The web app’s files, as the build left them. */
export const createWebFiles = (directory: string) => ({
  /** A file of the app, or its page for all paths that are places inside it. */
  async get({ path, acceptEncoding, ifNoneMatch }: FileRequest): Promise<FileAnswer | undefined> {
    const asked = plainPath(path)
    if (asked === undefined) return undefined
    // A file that was asked for by name must not turn out to be the page.
    const name = asked === '/' || extname(asked) === '' ? '/index.html' : asked
    const plain = await fileAt(join(directory, name))
    if (!plain) return undefined
    const takesGzip = /\bgzip\b/.test(acceptEncoding)
    const packed = takesGzip ? await fileAt(`${join(directory, name)}.gz`) : undefined
    const { file, size, etag } = packed ?? plain
    const headers = {
      ...pageHeaders,
      'Content-Type': types[extname(name)] ?? 'application/octet-stream',
      'Cache-Control': isHashed(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: etag,
      Vary: 'Accept-Encoding',
    }
    if (ifNoneMatch === etag) return { headers }
    return {
      headers: {
        ...headers,
        'Content-Length': String(size),
        ...(packed && { 'Content-Encoding': 'gzip' }),
      },
      source: createReadStream(file),
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

/** Vite puts a hash into the names of what it makes: another content has another name. */
const isHashed = (name: string): boolean => /^\/assets\/.+-[\w-]{8,}\.\w+$/.test(name)

/** A path that stays below its directory; undefined for all others. */
const plainPath = (path: string): string | undefined => {
  try {
    const decoded = decodeURIComponent(path)
    const isPlain = /^(?:\/[\w@~+-][\w@~+.-]*)*\/?$/.test(decoded)
    return isPlain ? decoded.replace(/(?<=.)\/$/, '') : undefined
  } catch {
    return undefined
  }
}

const fileAt = async (file: string) => {
  try {
    const found = await stat(file)
    if (!found.isFile()) return undefined
    const { size, mtimeMs } = found
    return { file, size, etag: `"${size.toString(36)}-${mtimeMs.toString(36)}"` }
  } catch {
    return undefined
  }
}
