// Serves the page for development: `SLUICE_TOKEN=… npx vite examples/client-page`.
const target = process.env.SLUICE_URL ?? 'http://127.0.0.1:3000'

// biome-ignore lint/style/noDefaultExport: Vite reads its configuration from the default export.
export default {
  server: {
    proxy: {
      '/api': {
        target,
        changeOrigin: true,
        headers: { Origin: target, Authorization: `Bearer ${process.env.SLUICE_TOKEN}` },
      },
    },
  },
}
