/** Every scope of a token. Apart from the schema, so that the server can start without loading Zod. */
export const allScopes = ['read', 'prompt', 'approve', 'rewrite', 'admin'] as const
