import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './sluice.ts'

/** Writes an agents.json into a data directory: a name and a title for each agent that speaks ACP. */
export const configureAgents = (data: string, titles: Readonly<Record<string, string>>): void => {
  const command = [process.execPath, join(root, 'test/support/acp-agent.js')]
  const agents = Object.entries(titles).map(([name, title]) => ({ name, title, command }))
  mkdirSync(data, { recursive: true, mode: 0o700 })
  writeFileSync(join(data, 'agents.json'), JSON.stringify({ agents }))
}
