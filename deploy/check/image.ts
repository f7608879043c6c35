import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeBase } from './base-image.ts'
import { Buildah, type ImageConfig } from './buildah.ts'
import { tryContainer } from './container.ts'
import type { Report } from './report.ts'
import { findTool, output } from './run.ts'

// The image is built and run by buildah, which needs no daemon: with the storage driver `vfs` and the isolation `chroot` it works
// inside of other containers. Without BASE_IMAGE, its base is made by debootstrap, so that no image registry is needed.

const TOOLS = ['buildah', 'unshare', 'nsenter', 'npm']

export async function checkImage(report: Report): Promise<void> {
  const needed = process.env.BASE_IMAGE ? TOOLS : [...TOOLS, 'debootstrap']
  const missing = needed.filter((name) => !findTool(name, ''))
  if (missing.length > 0) return report.skipped('image', `there is no ${missing.join(', ')}`)
  if (process.getuid?.() !== 0) return report.skipped('image', 'only root can build and run it in this way')
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-image-'))
  try {
    const buildah = new Buildah(folder)
    const base = process.env.BASE_IMAGE ?? makeBase(report, buildah, folder)
    for (const engines of ['1', '0'] as const) await buildAndTry(report, buildah, { base, engines })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function buildAndTry(
  report: Report,
  buildah: Buildah,
  { base, engines }: { base: string; engines: '0' | '1' },
): Promise<void> {
  const name = `gatehouse:engines-${engines}`
  const start = performance.now()
  buildah.build(name, [`BASE_IMAGE=${base}`, `ENGINES=${engines}`, ...certificates()])
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  const { root, config } = buildah.open(name)
  const [all, app] = [root, join(root, 'app')].map((path) => output('du', '-sm', path).split('\t')[0])
  report.line(`${name} is built`, true, `${seconds} s, ${all} MB, ${app} MB of them are ours`)
  checkContent(report, root, engines)
  checkConfig(report, config)
  await tryContainer(report, { root, config, engines })
}

/** A network that inspects TLS has a certificate of its own, which the build has to trust. */
function certificates(): string[] {
  const file = process.env.NODE_EXTRA_CA_CERTS
  return file ? [`NODE_EXTRA_CA_CERTS=${file}`] : []
}

function checkContent(report: Report, root: string, engines: '0' | '1'): void {
  const has = (path: string) => existsSync(join(root, 'app', path))
  const { components } = JSON.parse(readFileSync(join(root, 'app/sbom.cdx.json'), 'utf8')) as { components: unknown[] }
  report.line('list of components', components.length > 40, `${components.length} components`)
  const hasNode = ['x64', 'arm64'].some((processor) => has(`node_modules/node-linux-${processor}`))
  report.line('no second Node inside', !hasNode)
  report.line(
    'engines',
    has('node_modules/tesseract.js-core') === (engines === '1'),
    engines === '1' ? 'with' : 'without',
  )
  report.line('no source, no development packages', !has('src') && !has('pack') && !has('node_modules/typescript'))
}

function checkConfig(report: Report, config: ImageConfig): void {
  report.line('user', config.User === '10001:10001', config.User)
  report.line('stop signal', config.StopSignal === 'SIGTERM', config.StopSignal)
  report.line(
    'exposed ports',
    Object.keys(config.ExposedPorts).join() === '8080/tcp',
    Object.keys(config.ExposedPorts).join(),
  )
}
