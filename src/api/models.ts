import { z } from 'zod'

export const modelList = z
  .object({
    sessionId: z.string().describe('Id of the session.'),
    models: z.array(z.string()).describe('Model names that `POST sessions/:id/model` accepts.'),
    isComplete: z
      .boolean()
      .describe('True if the agent listed the models. Otherwise they are from earlier sessions.'),
  })
  .describe('Response of `GET sessions/:id/models`.')
