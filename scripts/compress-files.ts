import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Shorter files fit into one packet anyway. */
const shortest = 1024

/**
 * Writes a compressed copy, `.br` and `.gz`, beside each file of the web app that travels. It is done
 * once, at the highest level: the server only chooses the copy that a browser accepts.
 */
export const compressFiles = (directory: string): void => {
  for (const name of globSync('**/*.{js,css,html,svg,json,webmanifest}', { cwd: directory })) {
    const file = join(directory, name)
    const bytes = readFileSync(file)
    if (bytes.length < shortest) continue
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }))
    writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: brotli(bytes.length) }))
  }
}

const brotli = (size: number) => ({
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
  [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
  [constants.BROTLI_PARAM_SIZE_HINT]: size,
})
