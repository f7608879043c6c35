#!/usr/bin/env node
// This is plain JavaScript that every version of Node can read: it chooses the Node binary and its options before any
// TypeScript is loaded.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { openCodeCache } from './code-cache.js'
import { MEMORY_VARIABLES, V8_OPTIONS } from './node-options.js'

const NEEDED_MAJOR = 24
const major = Number(process.versions.node.split('.')[0])
// The operator's own options come last, so that they win.
const command = [...V8_OPTIONS, ...process.execArgv, ...process.argv.slice(1)]

for (const [name, value] of Object.entries(MEMORY_VARIABLES)) process.env[name] ??= value

if (major < NEEDED_MAJOR) {
  await runWithBundledNode()
} else if (needsRestart()) {
  process.execve(process.execPath, [process.execPath, ...command])
} else {
  const source = new URL('../src/cli/main.ts', import.meta.url)
  const isCheckout = existsSync(source)
  openCodeCache({ isCheckout })
  // The npm package has JavaScript, because Node strips no types inside of node_modules.
  await import(isCheckout ? source.href : new URL('../lib/cli/main.js', import.meta.url).href)
}

/**
 * V8 options apply only if they are set when a process starts. A restart would lose the IPC channel to a parent process. Windows
 * cannot replace a process, and runs without the options: it is slower and takes more memory.
 */
function needsRestart() {
  const hasOptions = V8_OPTIONS.every((option) => process.execArgv.includes(option))
  return !hasOptions && !process.channel && Boolean(process.execve) && process.platform !== 'win32'
}

async function runWithBundledNode() {
  const bundled = findBundledNode()
  if (!bundled) return refuse()
  const { spawn } = await import('node:child_process')
  const child = spawn(bundled, command, { stdio: 'inherit' })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  // A terminal sends Ctrl-C to both processes. A second SIGINT would mean "stop at once".
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
  const how =
    'install Node 24 or newer, or, on Linux, install Gatehouse with its optional packages (without --omit=optional)'
  console.error(`Gatehouse needs Node ${NEEDED_MAJOR} or newer, this is ${process.versions.node}: ${how}.`)
  process.exit(1)
}
