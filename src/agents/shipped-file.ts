/** The path of a file in this folder that is shipped as it is, such as `pi/gate.js`. */
export const shippedFile = (path: string, module: string = import.meta.url): string => {
  // Among the sources, and in the bundle `dist/agents/index.js`, this module is in `agents/`. In any
  // other bundle it is in a folder beside that. (The bundler would inline a constant `new URL`.)
  const isInAgents = /\/agents\/[^/]+$/.test(module)
  const url = new URL(isInAgents ? `./${path}` : `../agents/${path}`, module)
  return decodeURIComponent(url.pathname)
}
