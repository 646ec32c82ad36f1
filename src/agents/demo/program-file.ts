/** Where the demo’s program lies, as Node takes it for an argument. */
export const programFile = (module: string = import.meta.url): string => {
  // The sources have it beside this module; a bundle, of which this module is a part, one folder
  // up and down again. A constant in `new URL` would make the bundler put the file into the code.
  const isSource = /\/agents\/demo\/[^/]+$/.test(module)
  const place = isSource ? './program.js' : '../agents/demo/program.js'
  return decodeURIComponent(new URL(place, module).pathname)
}
