import type { Command } from 'commander'
import { plainLine } from './clean-text.ts'
import { completeWords, type ShellChoice } from './complete-words.ts'
import { exitCodes } from './exit.ts'
import type { Terminal } from './terminal.ts'

/**
 * `sluice __complete`, which the scripts of `sluice completion` run: prints what can stand in place of
 * the last word, one per line with a tab before its description. A line with a colon at its start
 * leaves the rest to the shell. Nothing is ever reported: a shell must not print errors at a prompt.
 */
export const complete = async (
  program: Command,
  words: readonly string[],
  defaultData: string,
  terminal: Terminal,
): Promise<number> => {
  const { choices, paths, sessions, agents, data } = completeWords(program, words)
  const current = words.at(-1) ?? ''
  const found = [
    ...choices,
    ...(sessions ? await sessionChoices(data ?? defaultData) : []),
    ...(agents ? await describedAgents(data ?? defaultData, choices) : []),
  ]
  for (const { value, description } of found)
    if (value.startsWith(current)) terminal.write(`${value}\t${plainLine(description)}\n`)
  if (paths !== undefined) terminal.write(`:${paths}\n`)
  await terminal.flush()
  return exitCodes.done
}

/** Agents of `agents.json` in the data directory, and presets that are installed. */
const describedAgents = async (
  data: string,
  others: readonly ShellChoice[],
): Promise<ShellChoice[]> => {
  const { createAgentSource } = await import('../agent-config/agent-source.ts')
  const { agents } = await createAgentSource({ data }).list()
  const known = new Set(others.map(({ value }) => value))
  return agents
    .filter(({ name }) => !known.has(name))
    .map(({ name, title }) => ({ value: name, description: title }))
}

/** So many sessions are offered, the newest ones. */
const maxSessions = 200

const sessionChoices = async (data: string): Promise<ShellChoice[]> => {
  const { listSqliteSessions } = await import('../log/sqlite/sqlite-log.ts')
  const records = await listSqliteSessions(data, { limit: maxSessions }).catch(() => [])
  return records.flatMap(({ id, agent, name, title, cwd }) => {
    const description = `${agent}: ${(name ?? title ?? cwd).slice(0, 60)}`
    const names = name !== undefined && isPlainWord.test(name) ? [{ value: name, description }] : []
    return [{ value: id.slice(0, shortLength), description }, ...names]
  })
}

/** Enough of an id to find it again. */
const shortLength = 8

/** A name that no shell has to quote. */
const isPlainWord = /^[\w.@+-]+$/
