import { common, createLowlight } from 'lowlight'

/** In a chunk of its own, which is loaded with the first code block. */
export const createHighlighter = () => createLowlight(common)
