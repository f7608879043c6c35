import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { closedPort } from '../gateway/gateway-with-fakes.ts'
import { listening } from './listening.ts'

/** A way through nginx: how it speaks to the gateway, how to the client, and whether it buffers. */
export type Way = { upstream: '1.0' | '1.1'; client: 'HTTP/1.1' | 'HTTP/2'; buffering: 'on' | 'off'; port: number }

type Nginx = { stop(): Promise<void> }

/** The version of the nginx on this machine; undefined if there is none. */
export async function nginxVersion(): Promise<string | undefined> {
  try {
    return (await promisify(execFile)('nginx', ['-v'])).stderr.trim()
  } catch {
    return undefined
  }
}

/** One port for each way to the gateway. */
export async function startNginx(gatewayUrl: string): Promise<Nginx & { ways: Way[] }> {
  const ways = await allWays()
  const nginx = await start(
    ways.map((way) => serverOf(way, gatewayUrl)),
    ways.map(({ port }) => port),
  )
  return { ways, ...nginx }
}

/** One port in front of several gateways. `options` follow the address of each, such as `max_fails=0`. */
export async function startBalancer(urls: readonly string[], options = ''): Promise<Nginx & { url: string }> {
  const port = await closedPort()
  const servers = urls.map((url) => `server ${new URL(url).host} ${options};`).join(' ')
  const upstream = `upstream gatehouse { ${servers} keepalive 64; }`
  const server = `server { listen 127.0.0.1:${port}; location / {
  proxy_pass http://gatehouse; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } }`
  return { url: `http://127.0.0.1:${port}`, ...(await start([upstream, server], [port])) }
}

/** Starts an nginx of its own, without touching one that runs already. */
async function start(blocks: readonly string[], ports: readonly number[]): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-nginx-'))
  await writeFile(join(folder, 'nginx.conf'), configOf(blocks, folder))
  const child = spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  for (const port of ports) await listening(port, 'nginx')
  return {
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

async function allWays(): Promise<Way[]> {
  const ways: Way[] = []
  for (const upstream of ['1.0', '1.1'] as const)
    for (const client of ['HTTP/1.1', 'HTTP/2'] as const)
      for (const buffering of ['on', 'off'] as const)
        ways.push({ upstream, client, buffering, port: await closedPort() })
  return ways
}

function configOf(blocks: readonly string[], folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
    return `${name}_temp_path ${join(folder, name)};`
  })
  return `daemon off; pid ${join(folder, 'pid')}; events {} http { access_log off; ${temporary.join(' ')}
${blocks.join('\n')} }`
}

/** The gateway's own header turns buffering off, so nginx has to ignore it where it is to buffer. */
function serverOf({ upstream, client, buffering, port }: Way, gatewayUrl: string): string {
  const http2 = client === 'HTTP/2' ? ' http2' : ''
  return `server { listen 127.0.0.1:${port}${http2}; location / {
  proxy_pass ${gatewayUrl}; proxy_http_version ${upstream}; proxy_set_header Connection "";
  proxy_buffering ${buffering}; proxy_ignore_headers X-Accel-Buffering; } }`
}
