import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closedPort } from '../gateway/gateway-with-fakes.ts'
import { listening } from './listening.ts'

export const LOGIN = { user: 'gatehouse', password: 'p4ss-w0rd' }

/** A program that stands between a network and the internet. It wants the login above. */
export type ForwardProxy = { name: string; program: string; debian: string; start(): Promise<RunningProxy> }
type RunningProxy = { port: number; stop(): Promise<void> }

type Command = { options: (file: string) => string[]; config: (port: number, folder: string) => string }

const SQUID_LOGIN = '/usr/lib/squid/basic_fake_auth'

export const FORWARD_PROXIES: ForwardProxy[] = [
  forwardProxy('tinyproxy', '/usr/bin/tinyproxy', {
    options: (file) => ['-d', '-c', file],
    config: (port) => `Port ${port}\nListen 127.0.0.1\nTimeout 60\nBasicAuth ${LOGIN.user} ${LOGIN.password}\n`,
  }),
  // This helper of Squid takes every password, but wants one.
  forwardProxy('squid', '/usr/sbin/squid', {
    options: (file) => ['-N', '-f', file],
    config: (port, folder) => `http_port 127.0.0.1:${port}
auth_param basic program ${SQUID_LOGIN}
acl known proxy_auth REQUIRED
http_access allow known
http_access deny all
cache deny all
access_log none
cache_log ${folder}/cache.log
pid_filename ${folder}/pid
coredump_dir ${folder}
shutdown_lifetime 0 seconds
`,
  }),
]

export function isInstalled({ program }: ForwardProxy): boolean {
  return existsSync(program)
}

function forwardProxy(name: string, program: string, { options, config }: Command): ForwardProxy {
  return { name, program, debian: name, start }

  async function start(): Promise<RunningProxy> {
    const folder = await mkdtemp(join(tmpdir(), `gatehouse-${name}-`))
    // Squid gives up the rights of root and then writes its files.
    await chmod(folder, 0o777)
    const port = await closedPort()
    const file = join(folder, 'proxy.conf')
    await writeFile(file, config(port, folder))
    const child = spawn(program, options(file), { stdio: 'ignore' })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await listening(port, name)
    return {
      port,
      stop: async () => {
        child.kill('SIGTERM')
        await ended
        await rm(folder, { recursive: true })
      },
    }
  }
}
