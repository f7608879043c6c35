// Starts the fake provider: nginx for whole answers where the machine has it, a Node program for everything else.
import { accessSync, constants, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { StreamCounts } from './node-upstream.ts'
import { wholeAnswer } from './payload.ts'
import { freePort, type Running, type Workplace } from './workplace.ts'

const SYSTEM_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin']

export type Upstream = { kind: 'nginx' | 'node'; baseUrl: string; running: Running }

export async function startWholeUpstream(workplace: Workplace): Promise<Upstream> {
  const nginx = findProgram('nginx')
  return nginx ? startNginx(workplace, nginx) : startNodeUpstream(workplace)
}

export async function startNodeUpstream(workplace: Workplace): Promise<Upstream> {
  const port = await freePort()
  const program = join(import.meta.dirname, 'node-upstream.ts')
  const start = { name: 'upstream', command: process.execPath, parameters: [program, String(port)] }
  return {
    kind: 'node',
    baseUrl: baseUrl(port),
    running: await workplace.start(start, `http://127.0.0.1:${port}/ready`),
  }
}

export async function readStreamCounts(upstream: Upstream): Promise<StreamCounts> {
  const answer = await fetch(new URL('/counts', upstream.baseUrl), { signal: AbortSignal.timeout(5_000) })
  return (await answer.json()) as StreamCounts
}

export function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS]
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

async function startNginx(workplace: Workplace, nginx: string): Promise<Upstream> {
  const port = await freePort()
  const folder = join(workplace.folder, 'nginx')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'nginx.conf'), nginxConfig(folder, port))
  const parameters = ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')]
  const running = await workplace.start({ name: 'nginx', command: nginx, parameters }, `http://127.0.0.1:${port}/ready`)
  return { kind: 'nginx', baseUrl: baseUrl(port), running }
}

function nginxConfig(folder: string, port: number): string {
  return `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  access_log off; default_type application/json; client_max_body_size 10m;
  keepalive_timeout 120s; keepalive_requests 100000000;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen 127.0.0.1:${port};
    location = /ready { return 200 'ready'; }
    location / { return 200 '${wholeAnswer()}'; }
  }
}
`
}

function baseUrl(port: number): string {
  return `http://127.0.0.1:${port}/v1`
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
