import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../src/platform/net/free-port.ts'

const FOLDERS = ['/usr/sbin', '/usr/local/sbin', ...(process.env.PATH ?? '').split(delimiter)]

type PgBouncer = { url: string; stop(): Promise<void> }

/**
 * A real PgBouncer in transaction mode in front of a server of `startPostgres`, with fewer connections than its clients
 * ask for. Every query may run on another connection. On a machine without PgBouncer it returns the reason.
 */
export async function startPgBouncer(serverUrl: string): Promise<PgBouncer | { skip: string }> {
  const program = FOLDERS.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))
  if (!program) return { skip: 'no PgBouncer found on the PATH or in /usr/sbin' }
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-pgbouncer-'))
  // It refuses to run as root, so it runs as the user of the server, who has to read its settings.
  await chmod(folder, 0o755)
  const { uid, gid } = await stat(new URL(serverUrl).searchParams.get('host')!)
  const port = await freePort('127.0.0.1', 0)
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(settings, configuration(new URL(serverUrl), port))
  const identity = process.getuid?.() === 0 ? { uid, gid } : {}
  // The shell ends it when its own input ends, which it does however this process ends.
  const script = '"$0" "$1" & cat > /dev/null; kill $!; wait'
  const child = spawn('sh', ['-c', script, program, settings], { ...identity, stdio: ['pipe', 'ignore', 'pipe'] })
  await listening(child)
  return {
    url: `postgres://gatehouse@127.0.0.1:${port}/postgres?pgbouncer=true`,
    stop: async () => {
      child.ref()
      const exit = once(child, 'exit')
      child.stdin!.end()
      await exit
      await rm(folder, { recursive: true })
    },
  }
}

/** Nothing beyond what a pooler needs: no startup parameters are ignored, as in its own example. */
function configuration({ searchParams, username }: URL, port: number): string {
  return `[databases]
* = host=${searchParams.get('host')} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
server_round_robin = 1
`
}

async function listening(child: ChildProcess): Promise<void> {
  let last = ''
  for await (const line of createInterface(child.stderr!)) {
    last = line
    if (!line.includes('process up')) continue
    // Keep reading, or it would block on a full pipe; but let this process end meanwhile.
    child.stderr!.resume()
    for (const one of [child, child.stdin, child.stderr] as { unref(): void }[]) one.unref()
    return
  }
  throw new Error(`PgBouncer does not start: ${last}`)
}
