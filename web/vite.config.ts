import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { icons } from "./plugins/icons.ts";

export default defineConfig({
  plugins: [svelte({ configFile: false }), icons()],
  build: {
    outDir: "../src/everlore/web_dist",
    emptyOutDir: true,
    // The server's policy allows no inline script, and every browser that knows modules now preloads them.
    modulePreload: { polyfill: false },
    license: { fileName: "licenses.md" },
    // On a busy machine it would tell of slow plugins with each build.
    rolldownOptions: { input: ["index.html", "docs.html"], checks: { pluginTimings: false } },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:8420", ws: true } } },
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  test: { include: ["tests/**/*.test.ts"], reporters: ["dot"] },
});
