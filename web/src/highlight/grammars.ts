import { common, createLowlight } from 'lowlight'

/** In a chunk of its own: it is fetched with the first code. */
export const createHighlighter = () => createLowlight(common)
