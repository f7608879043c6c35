import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API_KEY, ask, post, statusOf, untilReady } from '../../pack/ask-gateway.ts'
import { freePort } from '../../src/platform/net/free-port.ts'
import type { ImageConfig } from './buildah.ts'
import type { Report } from './report.ts'
import { run } from './run.ts'

// Runs the files of an image as a container runtime does, with what its configuration says: process 1 of a namespace, a user
// without rights, a root that cannot be written, /tmp in memory, and /data as a volume. The network is that of the machine.

const SETUP = `set -e
mount --make-rprivate /
mount --bind "$ROOT" "$ROOT"
mount --rbind /dev "$ROOT/dev"
mount -t proc proc "$ROOT/proc"
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"
mount --bind "$VOLUME" "$ROOT/data"
mount -o remount,bind,ro "$ROOT"
exec chroot --userspec="$RUN_AS" --groups= "$ROOT" /usr/bin/env -i "$@"`
/** So that there is time to ask while it drains. */
const DRAIN_DELAY_SECONDS = 3

type Image = { root: string; config: ImageConfig; engines: '0' | '1' }

export async function tryContainer(report: Report, image: Image): Promise<void> {
  const volume = mkdtempSync(join(tmpdir(), 'gatehouse-volume-'))
  chmodSync(volume, 0o700)
  chownSync(volume, ...(image.config.User.split(':').map(Number) as [number, number]))
  const [port, adminPort] = [await freePort('127.0.0.1', 0), await freePort('127.0.0.1', 0)]
  const gateway = start(image, volume, { PORT: port, ADMIN_PORT: adminPort })
  try {
    await tryGateway(report, image, { gateway, port, adminPort })
  } finally {
    if (gateway.exitCode === null) gateway.kill('SIGKILL')
    rmSync(volume, { recursive: true, force: true })
  }
}

function start({ root, config }: Image, volume: string, ports: Record<string, number>): ChildProcess {
  const settings = { ...ports, GATEHOUSE_API_KEY: API_KEY, DRAIN_DELAY_SECONDS }
  const variables = [...config.Env, ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)]
  const words = [...variables, ...config.Entrypoint, ...config.Cmd]
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child']
  const env = { PATH: process.env.PATH, ROOT: root, VOLUME: volume, RUN_AS: config.User }
  return spawn('unshare', [...namespaces, 'sh', '-c', SETUP, 'sh', ...words], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

type Running = { gateway: ChildProcess; port: number; adminPort: number }

async function tryGateway(report: Report, image: Image, running: Running): Promise<void> {
  const started = performance.now()
  const base = `http://127.0.0.1:${running.port}`
  await untilReady(base, running.gateway)
  report.line(
    'ready',
    true,
    `${((performance.now() - started) / 1000).toFixed(1)} s after its start, with a new volume`,
  )
  report.line('a chat', (await ask(base, 'Hello, image!')) === 'Hello, image!')
  const admin = await statusOf(`http://127.0.0.1:${running.adminPort}/metrics`)
  report.line('the admin listener', admin === 200, `/metrics ${admin}`)
  await tryEngine(report, image, base)
  const pid = processOf(running.gateway)
  checkProcess(report, pid)
  checkHealth(report, image, pid, running.port)
  await checkEnd(report, base, running.gateway, pid)
}

async function tryEngine(report: Report, { engines }: Image, base: string): Promise<void> {
  const task = {
    model: 'translation/language_detection/local',
    input: { text: 'Guten Morgen, wie geht es Ihnen heute?' },
  }
  const { status } = await post(`${base}/v3/universal-ai`, task)
  report.line('a task of the provider local', status === (engines === '1' ? 200 : 424), `${status}`)
}

/** `unshare` has one child, which became the gateway. */
function processOf({ pid }: ChildProcess): string {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
}

function checkProcess(report: Report, pid: string): void {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.split('\t') ?? []
  report.line('Node is process 1', field('NSpid').at(-1) === '1' && field('Name').join() !== 'sh', field('Name').join())
  report.line('no rights', field('Uid').every((id) => id === '10001') && Number(`0x${field('CapEff')[0]}`) === 0)
  const root = readFileSync(`/proc/${pid}/mountinfo`, 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[4] === '/')
  report.line('the root cannot be written', root?.split(' ')[5]?.split(',')[0] === 'ro')
}

function checkHealth(report: Report, { config }: Image, pid: string, port: number): void {
  const [user, group] = config.User.split(':')
  const inside = ['-t', pid, '-m', '-p', '-r', '-S', user!, '-G', group!, 'env', ...config.Env]
  const [, ...command] = config.Healthcheck.Test
  const good = run('nsenter', ...inside, `PORT=${port}`, ...command)
  report.line('the health check', good.isOk, good.stdout.trim() || good.stderr.trim())
  const bad = run('nsenter', ...inside, 'PORT=65535', ...command)
  report.line('the health check, if the gateway does not answer', !bad.isOk, bad.stdout.trim())
}

/** While it drains, it is not ready, but answers. */
async function checkEnd(report: Report, base: string, gateway: ChildProcess, pid: string): Promise<void> {
  const ended = once(gateway, 'exit')
  const start = performance.now()
  process.kill(Number(pid), 'SIGTERM')
  while ((await statusOf(`${base}/health/ready`)) === 200);
  report.line('after SIGTERM', (await statusOf(`${base}/health/ready`)) === 503, 'not ready')
  report.line('a chat while it drains', (await ask(base, 'Good bye!')) === 'Good bye!')
  const [code] = (await ended) as [number | null]
  report.line('the end', code === 0, `code ${code}, ${((performance.now() - start) / 1000).toFixed(1)} s after SIGTERM`)
}
