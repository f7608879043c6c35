// Writes `lib/compiled/`: V8's code cache of what a gateway loads until it has answered its first request, for the Node and the kind
// of processor that this runs on. The names in the cache come from where files are relative to each other, so a package is
// compiled in both places that npm may put its dependencies: inside of it (as in the image), and beside it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '../src/platform/net/free-port.ts'
import { API_KEY, ask, untilReady } from './ask-gateway.ts'

const ROOT = join(import.meta.dirname, '..')
const NAME = 'gatehouse-ai'
const PARTS = ['bin', 'lib', 'package.json']

/** Returns how many modules were compiled. */
export async function writeCodeCache(lib = join(ROOT, 'lib')): Promise<number> {
  const target = join(lib, 'compiled', `${process.version}-${process.arch}`)
  rmSync(dirname(target), { recursive: true, force: true })
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-compiled-'))
  try {
    const compiled = [await compile(withPackagesInside(folder, lib)), await compile(withPackagesBeside(folder, lib))]
    mkdirSync(target, { recursive: true })
    for (const from of compiled) cpSync(from, target, { recursive: true })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return readdirSync(target).length
}

function withPackagesInside(folder: string, lib: string): string {
  const place = copyOf(lib, join(folder, 'inside'))
  symlinkSync(join(ROOT, 'node_modules'), join(place, 'node_modules'))
  return place
}

function withPackagesBeside(folder: string, lib: string): string {
  const packages = join(folder, 'beside', 'node_modules')
  mkdirSync(packages, { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
  return copyOf(lib, join(packages, NAME))
}

function copyOf(lib: string, place: string): string {
  for (const part of PARTS) cpSync(part === 'lib' ? lib : join(ROOT, part), join(place, part), { recursive: true })
  return place
}

/** Runs the gateway of this folder until it has answered a request, and returns where Node has left its code. */
async function compile(place: string): Promise<string> {
  const port = await freePort('127.0.0.1', 0)
  const data = mkdtempSync(join(place, 'data-'))
  const env = {
    PATH: process.env.PATH,
    HOME: data,
    TMPDIR: tmpdir(),
    DATA_DIR: data,
    DRAIN_DELAY_SECONDS: '0',
    HOST: '127.0.0.1',
    PORT: String(port),
    ADMIN_PORT: '0',
    GATEHOUSE_API_KEY: API_KEY,
    LOG_LEVEL: 'error',
    // The names are to be those of links to packages, not of what they lead to.
    NODE_PRESERVE_SYMLINKS: '1',
    NODE_PRESERVE_SYMLINKS_MAIN: '1',
  }
  const gateway = spawn(process.execPath, [join(place, 'bin', 'gatehouse.js'), 'serve'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(gateway, 'close')
  try {
    await untilReady(`http://127.0.0.1:${port}`, gateway)
    await ask(`http://127.0.0.1:${port}`, 'Hello, compiler!')
  } finally {
    // Node writes the cache when it ends.
    gateway.kill('SIGTERM')
    await ended
  }
  const [compiled] = readdirSync(join(place, 'code-cache'))
  if (compiled === undefined) throw new Error('Node has left no compiled code behind')
  return join(place, 'code-cache', compiled)
}

if (import.meta.main) console.log(`lib/compiled has ${await writeCodeCache()} modules`)
