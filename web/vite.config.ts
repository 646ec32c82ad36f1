import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite loads its settings by their default export.
export default defineConfig(({ command }) => {
  // Whoever builds, from a test too, means the app that people use.
  if (command === 'build') process.env.NODE_ENV = 'production'
  return {
    root: import.meta.dirname,
    plugins: [react()],
    worker: { format: 'es' },
    build: {
      outDir: '../dist/web',
      emptyOutDir: true,
      target: 'es2023',
      // A strict Content-Security-Policy allows no data: scripts or styles.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // A test measures what the first load needs.
      chunkSizeWarningLimit: 1000,
    },
  }
})
