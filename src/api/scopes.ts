/** What a token can allow. Apart from its schema: the server needs the words before it needs that. */
export const allScopes = ['read', 'prompt', 'approve', 'admin'] as const
