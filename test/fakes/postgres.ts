import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { memoryFolder } from './memory-folder.ts'

const START_TRIES = 20
const DEBIAN_FOLDER = '/usr/lib/postgresql'
const UNPRIVILEGED_USERS = ['postgres', 'nobody']

export type Postgres = {
  url: string
  /** Ends the server and keeps its data. SIGINT closes every connection; SIGQUIT and SIGKILL are crashes. */
  interrupt(signal?: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  resume(): Promise<void>
  restart(): Promise<void>
  /** Ends the server and removes its folder. */
  stop(): Promise<void>
}

type Options = {
  fsync?: boolean
  /** Keeps the files in memory where there is enough of it. For tests with many databases and few rows. */
  inMemory?: boolean
  settings?: Record<string, string>
}

type Identity = { uid?: number; gid?: number }

/**
 * A real server in a folder of its own, reachable through a socket file there. It ends with this process, however that
 * ends. On a machine without PostgreSQL it returns the reason, for the test's skip message.
 */
export async function startPostgres(options: Options = {}) {
  const bin = await findBinaries()
  if (!bin) return { skip: `no PostgreSQL server found: neither on the PATH nor in ${DEBIAN_FOLDER}` }
  const identity = await unprivileged()
  if (!identity) return { skip: 'PostgreSQL does not run as root, and there is no user postgres or nobody' }
  const folder = await mkdtemp(join(options.inMemory ? memoryFolder() : tmpdir(), 'gatehouse-pg-'))
  if (identity.uid !== undefined) await chown(folder, identity.uid, identity.gid!)
  const guard = startGuard(folder, identity)
  await initialise(bin, folder, identity)
  return serve(bin, folder, identity, guard, { fsync: options.fsync ? 'on' : 'off', ...options.settings })
}

async function serve(
  bin: string,
  folder: string,
  identity: Identity,
  guard: ChildProcess,
  settings: Record<string, string>,
): Promise<Postgres> {
  let server: ChildProcess
  await resume()
  const url = `postgres://gatehouse@localhost/postgres?host=${encodeURIComponent(folder)}`
  return { url, interrupt, resume, restart, stop }

  /**
   * After a crash, orphaned processes of the last server hold its shared memory for a moment, and a new one refuses to
   * start.
   */
  async function resume() {
    for (let tries = 1; ; tries++) {
      server = startServer(bin, folder, identity, settings)
      const failure = await readiness(server)
      if (!failure) return
      if (tries === START_TRIES) throw new Error(`PostgreSQL does not start: ${failure}`)
    }
  }

  async function interrupt(signal: NodeJS.Signals = 'SIGINT') {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.ref()
    const exit = once(server, 'exit')
    server.kill(signal)
    await exit
  }

  async function restart() {
    await interrupt()
    await resume()
  }

  async function stop() {
    await interrupt()
    guard.ref()
    const exit = once(guard, 'exit')
    guard.stdin!.end()
    await exit
  }
}

function startServer(bin: string, folder: string, identity: Identity, settings: Record<string, string>): ChildProcess {
  const all = { listen_addresses: '', unix_socket_directories: folder, shared_buffers: '16MB', ...settings }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(join(bin, 'postgres'), ['-D', join(folder, 'data'), ...flags], {
    ...identity,
    cwd: folder,
    env: { LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server.unref()
  return server
}

/** Waits until the server accepts connections. Returns its last output if it ended instead. */
async function readiness(server: ChildProcess): Promise<string | undefined> {
  const log = server.stderr as NonNullable<ChildProcess['stderr']> & { unref(): void }
  let last = 'it ended without a word'
  for await (const line of createInterface(log)) {
    last = line
    if (line.includes('ready to accept connections')) {
      // Keep reading, or the server would block on a full pipe; but let the process end meanwhile.
      log.resume()
      log.unref()
      return undefined
    }
  }
  return last
}

/** Starts a process that waits for the end of its input, which comes however this process ends, and then cleans up. */
function startGuard(folder: string, identity: Identity): ChildProcess {
  const script = `cat > /dev/null
    [ -f "$0/data/postmaster.pid" ] && kill -QUIT "$(head -n 1 "$0/data/postmaster.pid")"
    while [ -f "$0/data/postmaster.pid" ] && kill -0 "$(head -n 1 "$0/data/postmaster.pid")"; do sleep 0.05; done
    rm -rf "$0"`
  const guard = spawn('sh', ['-c', script, folder], {
    ...identity,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.unref()
  const input = guard.stdin as NonNullable<ChildProcess['stdin']> & { unref(): void }
  input.unref()
  return guard
}

async function initialise(bin: string, folder: string, identity: Identity) {
  const flags = ['-D', join(folder, 'data'), '-U', 'gatehouse', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(join(bin, 'initdb'), flags, { ...identity, cwd: folder, env: { LC_ALL: 'C' } })
}

async function findBinaries(): Promise<string | undefined> {
  const versions = await readdir(DEBIAN_FOLDER).catch(() => [])
  const newestFirst = versions.sort((one, other) => Number(other) - Number(one))
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...newestFirst.map((version) => join(DEBIAN_FOLDER, version, 'bin')),
  ]
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
}

/** PostgreSQL refuses to run as root, so in containers it runs as another user. */
async function unprivileged(): Promise<Identity | undefined> {
  if (process.getuid?.() !== 0) return {}
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const user = UNPRIVILEGED_USERS.map((name) => lines.find((fields) => fields[0] === name)).find(Boolean)
  return user && { uid: Number(user[2]), gid: Number(user[3]) }
}
