#!/usr/bin/env node
// Plain JavaScript that every Node can read: it chooses the Node and its options before any TypeScript is loaded.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { NODE_OPTIONS } from './node-options.js'

const NEEDED_MAJOR = 24
const major = Number(process.versions.node.split('.')[0])
const command = [...process.execArgv, ...NODE_OPTIONS, ...process.argv.slice(1)]

// The second start skips compiling: V8's code cache is kept beside the installed packages. Threads and members of a
// fleet find it by the variable: without it each thread loads the TypeScript compiler, which is 25 MB of memory.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/gatehouse', import.meta.url))

if (major < NEEDED_MAJOR) {
  await runWithBundledNode()
} else if (needsRestart()) {
  process.execve(process.execPath, [process.execPath, ...command])
} else {
  await import('../src/main.ts')
}

/** Options of V8 hold only if they are set when a process starts. A restart would lose a channel to a parent process. */
function needsRestart() {
  const hasOptions = NODE_OPTIONS.every((option) => process.execArgv.includes(option))
  return !hasOptions && !process.channel && Boolean(process.execve)
}

async function runWithBundledNode() {
  const bundled = findBundledNode()
  if (!bundled) return refuse()
  const { spawn } = await import('node:child_process')
  const child = spawn(bundled, command, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to both of us; sent twice it would mean "at once".
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
}

function findBundledNode() {
  try {
    return createRequire(import.meta.url).resolve(`node-linux-${process.arch}/bin/node`)
  } catch {
    return undefined
  }
}

function refuse() {
  const how = 'install Node 24 or newer, or run `npm ci` without --omit=optional on Linux'
  console.error(`Gatehouse needs Node ${NEEDED_MAJOR} or newer, this is ${process.versions.node}: ${how}.`)
  process.exit(1)
}
