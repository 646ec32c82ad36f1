import { z } from 'zod'
import { label, time } from './fields.ts'

export const project = z
  .object({
    id: z.string().describe('Id of the project.'),
    name: z.string().describe('Name of the project.'),
    path: z.string().describe('Directory of the project, with links resolved.'),
    createdAt: time('When the project was created'),
  })
  .describe('A directory that agents work in.')

export const newProject = z
  .strictObject({
    name: label.describe('Name of the project.'),
    path: z.string().min(1).max(4096).describe('A directory under an allowed root.'),
  })
  .describe('Body of `POST projects`.')

export const projectList = z
  .object({ projects: z.array(project).describe('All projects.') })
  .describe('Response of `GET projects`.')
