import { z } from 'zod'
import { ruleEffect, rulePattern, ruleTool } from '../../events/approval-rule.ts'
import { writePrivate } from '../../files/private-file.ts'
import { readSmallFile } from '../../files/read-small-file.ts'
import { isBelow } from '../../policy/path-pattern.ts'
import { reasonOf } from '../../shared/reason.ts'

const storedRule = z.strictObject({
  effect: ruleEffect,
  tool: ruleTool,
  pattern: rulePattern.optional(),
  createdAt: z.number().optional(),
  by: z.string().optional(),
})

const policyFile = z.strictObject({
  projects: z.record(z.string(), z.strictObject({ rules: z.array(storedRule) })),
})

export type StoredRule = z.infer<typeof storedRule>
type PolicyFile = z.infer<typeof policyFile>

/** The stored rules of a directory, or why they cannot be read. */
export type StoredRules =
  | { readonly rules: readonly (StoredRule & { directory: string })[] }
  | { readonly warning: string }

/** The rules of projects, which hold for every session in their directory. */
export interface ProjectRules {
  /** The rules that hold in a directory: its own, and those of the directories that it lies in. */
  of(directory: string): StoredRules
  /** Replaces the rules of a directory. Returns why that was not possible, if so. */
  update(
    directory: string,
    change: (rules: readonly StoredRule[]) => readonly StoredRule[],
  ): { readonly warning: string } | undefined
}

/** Rules in a JSON file that people may edit by hand: it is read again for each question. */
export const createProjectRules = (path: string): ProjectRules => {
  const read = (): PolicyFile | { warning: string } => {
    try {
      return policyFile.parse(JSON.parse(readSmallFile(path) ?? '{"projects":{}}'))
    } catch (cause) {
      const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : reasonOf(cause)
      return { warning: `The rules in ${path} cannot be read, so every call is asked: ${reason}` }
    }
  }

  return {
    of(directory) {
      const file = read()
      return 'warning' in file ? file : { rules: rulesIn(file, directory) }
    },
    update(directory, change) {
      const file = read()
      if ('warning' in file) return file
      const projects = new Map(Object.entries(file.projects))
      const rules = [...change(projects.get(directory)?.rules ?? [])]
      if (rules.length > 0) projects.set(directory, { rules })
      else projects.delete(directory)
      const text = JSON.stringify({ projects: Object.fromEntries(projects) }, undefined, 2)
      writePrivate(path, `${text}\n`)
      return undefined
    },
  }
}

/** Rules that are only in memory, for a log without a data directory. */
export const createMemoryProjectRules = (): ProjectRules => {
  let file: PolicyFile = { projects: {} }
  return {
    of: (directory) => ({ rules: rulesIn(file, directory) }),
    update(directory, change) {
      const rules = [...change(file.projects[directory]?.rules ?? [])]
      file = { projects: { ...file.projects, [directory]: { rules } } }
      return undefined
    },
  }
}

const rulesIn = ({ projects }: PolicyFile, directory: string) =>
  Object.entries(projects).flatMap(([project, { rules }]) =>
    isBelow(directory, project) ? rules.map((rule) => ({ ...rule, directory: project })) : [],
  )
