import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// biome-ignore lint/style/noDefaultExport: Vite reads the default export of this file.
export default defineConfig(({ command }) => {
  // A build is always the production app, also when a test starts it.
  if (command === 'build') process.env.NODE_ENV = 'production'
  return {
    root: import.meta.dirname,
    plugins: [react()],
    worker: { format: 'es' },
    build: {
      outDir: '../dist/web',
      emptyOutDir: true,
      target: 'es2023',
      // The Content-Security-Policy allows no `data:` scripts or styles.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      // A test measures the size of the first load instead.
      chunkSizeWarningLimit: 1000,
    },
  }
})
