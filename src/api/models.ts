import { z } from 'zod'

/** `GET sessions/:id/models` */
export const modelList = z.object({
  sessionId: z.string(),
  models: z.array(z.string()).describe('Names that `POST sessions/:id/model` takes.'),
  isComplete: z
    .boolean()
    .describe('The agent itself has told them; otherwise they are what sessions have used before.'),
})
