#!/usr/bin/env node
// Plain JavaScript that any Node can read: it checks the runtime before a line of TypeScript is loaded.
import { createRequire, enableCompileCache } from 'node:module'

const NEEDED_MAJOR = 24
const major = Number(process.versions.node.split('.')[0])

if (major >= NEEDED_MAJOR) {
  // The second start skips compiling: V8's code cache is kept beside the installed packages.
  enableCompileCache(new URL('../node_modules/.cache/gatehouse', import.meta.url).pathname)
  await import('../src/main.ts')
} else {
  await runWithBundledNode()
}

async function runWithBundledNode() {
  const bundled = findBundledNode()
  if (!bundled) return refuse()
  const { spawn } = await import('node:child_process')
  const child = spawn(bundled, [process.argv[1], ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

function findBundledNode() {
  try {
    const require = createRequire(import.meta.url)
    return require.resolve(`node-linux-${process.arch}/bin/node`)
  } catch {
    return undefined
  }
}

function refuse() {
  const how = 'install Node 24 or newer, or run `npm ci` without --omit=optional on Linux'
  console.error(`Gatehouse needs Node ${NEEDED_MAJOR} or newer, this is ${process.versions.node}: ${how}.`)
  process.exit(1)
}
