import type { Plugin } from 'vite'

const imports =
  /^import (?:([\w$]+)(?:, )?)?(?:\{ ([^}]*) \}|\* as ([\w$]+))? ?from "(node:[\w/]+)";$/gm

/**
 * Loads Node’s own modules with `process.getBuiltinModule` instead of `import`, which wraps every
 * export in a module of its own: that takes a twentieth of the start-up time.
 */
export const leanBuiltins = (): Plugin => ({
  name: 'lean-builtins',
  renderChunk(code, { fileName }) {
    // cli/main.js must also run on an old Node, to say that it is too old.
    if (fileName === 'cli/main.js') return null
    const lean = code.replace(imports, (_, whole, named, all, id) => {
      const names = [whole, named && `{ ${named.replaceAll(' as ', ': ')} }`, all].filter(Boolean)
      return names.map((name) => `const ${name} = process.getBuiltinModule("${id}");`).join(' ')
    })
    // Each import stays on its line, so the source map still fits.
    return { code: lean, map: null }
  },
})
