import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** The code blocks of a page in one language, each named by its first line. */
export const codeBlocks = (file: string, language: string): [name: string, code: string][] => {
  const text = readFileSync(file, 'utf8')
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))
  return [...blocks].map(([, code = '']) => [code.split('\n')[0] ?? '', code])
}

/** The files that a page links to or shows, relative to a root. Web addresses are left out. */
export const linkedFiles = (root: string, page: string): string[] => {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links
    .filter((link) => !/^(?:[a-z]+:|#)/.test(link))
    .map((link) => normalize(join(dirname(page), link.replace(/[#?].*$/, ''))))
}
