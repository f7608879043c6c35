// Everything a run starts lives here, so that everything is stopped: at the end, on an error, on Ctrl-C.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const STOP_REMINDER_MS = 3_000
const STOP_LIMIT_MS = 10_000
const READY_LIMIT_MS = 60_000
const READY_POLL_MS = 50
const REASON_CHARACTERS = 300

export type Program = {
  name: string
  command: string
  parameters: string[]
  env?: Record<string, string>
  cwd?: string
  /** How long the program may take to become ready. */
  readyLimitMs?: number
}
export type Running = {
  name: string
  pid: number
  logFile: string
  alive(): boolean
  lastWords(): string
  stop(): Promise<void>
}

export type Workplace = {
  folder: string
  start(program: Program, readyUrl: string): Promise<Running>
  /** Runs a program to its end and returns what it wrote to stdout. */
  run(program: Program, limitMs: number): Promise<string>
  close(): Promise<void>
}

export function openWorkplace(): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  const children = new Set<ChildProcess>()
  const close = async () => {
    await Promise.all([...children].map(stopChild))
    rmSync(folder, { recursive: true, force: true })
  }
  stopOnSignals(close)
  // The last resort: even an unplanned exit leaves no process behind.
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder,
    close,
    start: (program, readyUrl) => startInto(children, folder, program, readyUrl),
    run: (program, limitMs) => runInto(children, program, limitMs),
  }
}

export async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer().on('error', reject)
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
  })
  return promise
}

/** Nothing of the developer's own settings reaches a contender. */
function cleanEnvironment(extra: Record<string, string> = {}): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, NODE_ENV: 'production', ...extra }
}

async function startInto(children: Set<ChildProcess>, folder: string, program: Program, readyUrl: string) {
  const logFile = join(folder, `${program.name}-${children.size}-${Date.now()}.log`)
  const log = openSync(logFile, 'w')
  const child = spawn(program.command, program.parameters, {
    cwd: program.cwd ?? folder,
    env: cleanEnvironment(program.env),
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  keep(children, child)
  const running = runningOf(program.name, child, logFile)
  await untilReady(running, readyUrl, program.readyLimitMs)
  return running
}

function runInto(children: Set<ChildProcess>, program: Program, limitMs: number): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const env = cleanEnvironment(program.env)
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
  const child = spawn(program.command, program.parameters, { cwd: program.cwd, env, stdio, timeout: limitMs })
  keep(children, child)
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (part) => (output.stdout += part))
  child.stderr.on('data', (part) => (output.stderr += part))
  child.on('error', reject)
  child.on('close', (code) => {
    if (code === 0) return resolve(output.stdout)
    reject(new Error(`${program.name} ended with ${code ?? 'a signal'}: ${reasonIn(output.stderr)}`))
  })
  return promise
}

function keep(children: Set<ChildProcess>, child: ChildProcess): void {
  children.add(child)
  child.on('error', () => children.delete(child))
  child.on('exit', () => children.delete(child))
}

function runningOf(name: string, child: ChildProcess, logFile: string): Running {
  const alive = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null
  const lastWords = () =>
    `${child.signalCode ?? `exit code ${child.exitCode}`}, ${reasonIn(readFileSync(logFile, 'utf8'))}`
  return { name, pid: child.pid ?? 0, logFile, alive, lastWords, stop: () => stopChild(child) }
}

async function untilReady(running: Running, url: string, limitMs = READY_LIMIT_MS): Promise<void> {
  const deadline = Date.now() + limitMs
  while (Date.now() < deadline && running.alive()) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
  await running.stop()
  throw new Error(`${running.name} did not become ready: ${running.lastWords()}`)
}

/** The line that names an error, else the end of the log. */
function reasonIn(log: string): string {
  const lines = log.trim().split('\n')
  const reason = lines.findLast((line) => /\w*Error\b.*:/.test(line)) ?? lines.slice(-3).join(' ')
  return reason.trim().slice(0, REASON_CHARACTERS) || 'it wrote nothing'
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  // A second signal ends a shutdown that waits for requests, and a profile is still written; a kill would lose it.
  const reminder = setTimeout(() => child.kill('SIGTERM'), STOP_REMINDER_MS)
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS)
  child.kill('SIGTERM')
  await ended
  clearTimeout(reminder)
  clearTimeout(force)
}

function stopOnSignals(close: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      console.error(`\n${signal}: stopping what the benchmark started`)
      void close().finally(() => process.exit(130))
    })
  }
}
