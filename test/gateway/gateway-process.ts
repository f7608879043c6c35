import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { Writable } from 'node:stream'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { V8_OPTIONS } from '../../bin/node-options.js'
import { run } from '../../src/cli/cli.ts'
import { withSharedKey } from '../fakes/signing-key.ts'

// Starts the gateway as an operator does: as a process of its own, through bin/gatehouse.js.

const ROOT = join(import.meta.dirname, '..', '..')
export const PROGRAM = join(ROOT, 'bin', 'gatehouse.js')
/** The folder that bin/gatehouse.js uses, for what Node loads before it. */
const NODE_COMPILE_CACHE = join(ROOT, 'node_modules', '.cache', 'gatehouse')

/** A path without a file: a config file in the folder that the tests run from must not change what they test. */
export const NO_CONFIG = join(import.meta.dirname, 'no-config.json')

/** Free ports, and no time in which a gateway that is told to stop still accepts requests. */
const QUICK = { PORT: '0', ADMIN_PORT: '0', DRAIN_DELAY_SECONDS: '0' }

const POLL_MS = 20

type Ended = { code: number | null; signal: NodeJS.Signals | null }
export type Finished = Ended & { stdout: string; stderr: string }

type Settings = Record<string, string> & { DATA_DIR: string }

export type GatewayProcess = {
  url: string
  adminUrl: string
  child: ChildProcess
  /** Everything that it has printed so far to stdout and stderr. */
  output(): string
  ended: Promise<Ended>
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<Ended>
}

/** Runs one command to its end. */
export async function gatehouse(args: readonly string[], env: Record<string, string>): Promise<Finished> {
  const child = start(args, env)
  const stdout = readAll(child.stdout!)
  const stderr = readAll(child.stderr!)
  const [code, signal] = await once(child, 'close')
  return { code, signal, stdout: stdout(), stderr: stderr() }
}

/**
 * Runs one command to its end inside the test's own process, which takes a tenth of the time. Use it to test what a command
 * prints, not how it is started.
 */
export async function runHere(args: string[], environment: Record<string, string>): Promise<Finished> {
  const printed: string[] = []
  const remarked: string[] = []
  const code = await run(args, {
    environment: { GATEHOUSE_CONFIG: NO_CONFIG, ...environment },
    print: (text) => void printed.push(text),
    output: new Writable({
      write: (piece, _encoding, done) => {
        printed.push(String(piece))
        done()
      },
    }),
    remark: (text) => void remarked.push(text),
  })
  return { code, signal: null, stdout: printed.join(''), stderr: remarked.join('') }
}

/** Starts `serve` on free ports and waits until it listens. */
export async function startProcess(env: Settings): Promise<GatewayProcess> {
  return startFirst({ ...withSharedKey(), ...env })
}

/** Starts `serve` and waits until the store is open as well: on a busy machine, it listens before. */
export async function startReadyProcess(env: Settings): Promise<GatewayProcess> {
  const gateway = await startProcess(env)
  while (!(await fetch(`${gateway.url}/health/ready`)).ok) await sleep(POLL_MS)
  return gateway
}

/** Like startProcess, but with more Node options and an IPC channel, which a restart of Node would lose. */
export async function startWithOptions(options: readonly string[], env: Settings): Promise<GatewayProcess> {
  const settings = { PATH: process.env.PATH, HOME: tmpdir(), NODE_COMPILE_CACHE, ...QUICK, ...withSharedKey(), ...env }
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const
  return listening(
    spawn(process.execPath, [...options, ...V8_OPTIONS, PROGRAM, 'serve'], {
      cwd: tmpdir(),
      env: settings,
      stdio: [...stdio],
    }),
  )
}

/** Starts the gateway as `npm start` does: through a shell, which receives the signals. */
export async function startScript(env: Settings): Promise<GatewayProcess> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  const settings = { GATEHOUSE_CONFIG: NO_CONFIG, ...QUICK, ...env, PATH }
  return listening(spawn('sh', ['-c', scripts.start], { cwd: ROOT, env: settings, stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** Like startProcess, but the gateway creates its webhook key. */
export function startFirst(env: Settings): Promise<GatewayProcess> {
  return listening(start(['serve'], { ...QUICK, ...env }))
}

/** Starts `serve` with these flags and no other settings than `env`. */
export function startWithArguments(flags: readonly string[], env: Record<string, string>): Promise<GatewayProcess> {
  return listening(start(['serve', ...flags], { DRAIN_DELAY_SECONDS: '0', ...env }))
}

async function listening(child: ChildProcess): Promise<GatewayProcess> {
  const output = readAll(child.stdout!, child.stderr!)
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const line = await lineWith(child, output, '"listening"').catch((error: Error) => {
    // One that was given up would keep this process alive.
    child.kill('SIGKILL')
    throw error
  })
  const { base_url, admin_url } = JSON.parse(line)
  return {
    url: base_url.replace(/\/v3$/, ''),
    adminUrl: admin_url,
    child,
    output,
    ended,
    stop: () => {
      child.kill('SIGTERM')
      return ended
    },
  }
}

/** Starts `serve` without waiting until it listens. */
export function startChild(env: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = start(['serve'], { ...QUICK, ...env })
  return { child, output: readAll(child.stdout!, child.stderr!) }
}

/** Far longer than any test should wait, so that a line that never comes fails with its reason. */
const LINE_LIMIT_MS = 600_000
const SHOWN_OUTPUT_CHARS = 4_000

/** Waits for the first line of output that contains the words. */
export async function lineWith(child: ChildProcess, output: () => string, words: string): Promise<string> {
  const found = Promise.withResolvers<string>()
  const streams = [child.stdout!, child.stderr!]
  const look = () => {
    const line = completeLines(output()).find((line) => line.includes(words))
    if (line !== undefined) found.resolve(line)
  }
  const giveUp = (why: string) => found.reject(new Error(`${why} "${words}": ${output().slice(-SHOWN_OUTPUT_CHARS)}`))
  const giveUpAtEnd = () => giveUp('The process ended without printing')
  const limit = setTimeout(giveUp, LINE_LIMIT_MS, `The process did not print within ${LINE_LIMIT_MS / 1_000} s:`)
  for (const stream of streams) stream.on('data', look)
  child.once('close', giveUpAtEnd)
  look()
  return found.promise.finally(() => {
    clearTimeout(limit)
    for (const stream of streams) stream.off('data', look)
    child.off('close', giveUpAtEnd)
  })
}

function completeLines(text: string): string[] {
  return text.split('\n').slice(0, -1)
}

/** A folder for one test; the data folder inside it does not exist yet. */
export async function temporaryFolder(): Promise<{ path: string; data: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-process-'))
  return { path, data: join(path, 'data'), remove: () => rm(path, { recursive: true, force: true }) }
}

/** Passes on only these variables: the environment of the machine that runs the tests must not change what they test. */
function start(args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, HOME: tmpdir(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function readAll(...streams: NodeJS.ReadableStream[]): () => string {
  let text = ''
  for (const stream of streams) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk) => {
      text += chunk
    })
  }
  return () => text
}
