import { z } from 'zod'
import { label, time } from './fields.ts'

/** A directory that agents work in. */
export const project = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string().describe('The directory, with links resolved.'),
  createdAt: time,
})

/** `POST projects` */
export const newProject = z.strictObject({
  name: label,
  path: z.string().min(1).max(4096).describe('A directory under an allowed root.'),
})

/** `GET projects` */
export const projectList = z.object({ projects: z.array(project) })
