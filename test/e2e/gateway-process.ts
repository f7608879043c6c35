import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { NODE_OPTIONS } from '../../bin/node-options.js'
import { run } from '../../src/cli/cli.ts'
import { seedSigningKey } from '../fakes/signing-key.ts'

// The gateway as an operator runs it: a process of its own, started through bin/gatehouse.js.

const ROOT = join(import.meta.dirname, '..', '..')
export const PROGRAM = join(ROOT, 'bin', 'gatehouse.js')

/** A config file in the folder the tests run from must not change what they test. */
export const NO_CONFIG = join(import.meta.dirname, 'no-config.json')

export type Ended = { code: number | null; signal: NodeJS.Signals | null }
export type Finished = Ended & { stdout: string; stderr: string }

type Settings = Record<string, string> & { DATA_DIR: string }

export type GatewayProcess = {
  url: string
  adminUrl: string
  child: ChildProcess
  /** Everything it printed so far, both outputs. */
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

/** Runs one command to its end in this process, which takes a tenth of the time: for what it prints, not for how it is started. */
export async function runHere(args: string[], environment: Record<string, string>): Promise<Finished> {
  const printed: string[] = []
  const remarked: string[] = []
  const code = await run(args, {
    environment: { GATEHOUSE_CONFIG: NO_CONFIG, ...environment },
    print: (text) => void printed.push(text),
    remark: (text) => void remarked.push(text),
  })
  return { code, signal: null, stdout: printed.join(''), stderr: remarked.join('') }
}

/** Starts `serve` on free ports and waits until it listens. */
export async function startProcess(env: Settings): Promise<GatewayProcess> {
  await seedSigningKey(env.DATA_DIR)
  return startFirst(env)
}

/** Like startProcess, with more options for Node and a channel for messages, which a restart of Node would lose. */
export async function startWithOptions(options: readonly string[], env: Settings): Promise<GatewayProcess> {
  await seedSigningKey(env.DATA_DIR)
  const settings = { PATH: process.env.PATH, HOME: tmpdir(), PORT: '0', ADMIN_PORT: '0', ...env }
  const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const
  return listening(
    spawn(process.execPath, [...options, ...NODE_OPTIONS, PROGRAM, 'serve'], {
      cwd: tmpdir(),
      env: settings,
      stdio: [...stdio],
    }),
  )
}

/** As `npm start` does it: a shell is given the script, and whoever stops it signals that shell. */
export async function startScript(env: Settings): Promise<GatewayProcess> {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`
  const settings = { GATEHOUSE_CONFIG: NO_CONFIG, PORT: '0', ADMIN_PORT: '0', ...env, PATH }
  return listening(spawn('sh', ['-c', scripts.start], { cwd: ROOT, env: settings, stdio: ['ignore', 'pipe', 'pipe'] }))
}

/** The same on a data folder as it is: where there is no webhook key, the gateway makes its own. */
export function startFirst(env: Settings): Promise<GatewayProcess> {
  return listening(start(['serve'], { PORT: '0', ADMIN_PORT: '0', ...env }))
}

async function listening(child: ChildProcess): Promise<GatewayProcess> {
  const output = readAll(child.stdout!, child.stderr!)
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const line = await lineWith(child, output, '"listening"')
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

/** A process that may not come up yet: its child and what it says. */
export function startChild(env: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = start(['serve'], { PORT: '0', ADMIN_PORT: '0', ...env })
  return { child, output: readAll(child.stdout!, child.stderr!) }
}

/** The first line of output that holds the words, as soon as it is there. */
export function lineWith(child: ChildProcess, output: () => string, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const streams = [child.stdout!, child.stderr!]
    for (const stream of streams) stream.on('data', look)
    child.once('close', giveUp)
    look()

    function look() {
      const lines = output().split('\n').slice(0, -1)
      const line = lines.find((line) => line.includes(words))
      if (line === undefined) return
      for (const stream of streams) stream.off('data', look)
      child.off('close', giveUp)
      resolve(line)
    }

    function giveUp() {
      reject(new Error(`it ended without saying ${words}: ${output()}`))
    }
  })
}

/** A folder for one test; the data folder inside it does not exist yet. */
export async function temporaryFolder(): Promise<{ path: string; data: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-process-'))
  return { path, data: join(path, 'data'), remove: () => rm(path, { recursive: true, force: true }) }
}

/** Only what is given: the settings of the machine that runs the tests must not change what they test. */
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
