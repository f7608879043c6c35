#!/usr/bin/env node
// Plain JavaScript that any Node can read: it checks the runtime before a line of TypeScript is loaded.
import module from 'node:module'
import vm from 'node:vm'

const NEEDED_MAJOR = 24
const major = Number(process.versions.node.split('.')[0])

if (major >= NEEDED_MAJOR) {
  // The second start skips compiling: V8's code cache is kept beside the installed packages. Threads and members of a
  // fleet find it by the variable: without it each thread loads the TypeScript compiler, which is 25 MB of memory.
  process.env.NODE_COMPILE_CACHE ??= new URL('../node_modules/.cache/gatehouse', import.meta.url).pathname
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
  await import('./quick-start.js')
  // The flag of quick-start.js gives it only to contexts that are made afterwards.
  globalThis.gc = vm.runInNewContext('gc')
  await import('../src/main.ts')
} else {
  await runWithBundledNode()
}

async function runWithBundledNode() {
  const bundled = findBundledNode()
  if (!bundled) return refuse()
  const { spawn } = await import('node:child_process')
  const child = spawn(bundled, [process.argv[1], ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to both of us; sent twice it would mean "at once".
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

function findBundledNode() {
  try {
    const require = module.createRequire(import.meta.url)
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
