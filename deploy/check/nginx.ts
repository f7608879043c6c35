import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from './report.ts'
import { findTool, lastLines, ROOT, run } from './run.ts'

export async function checkNginx(report: Report): Promise<void> {
  const nginx = findTool('nginx', 'NGINX')
  if (!nginx) return report.skipped('nginx', 'there is no nginx')
  const version = /nginx\/([\d.]+)/.exec(run(nginx, '-v').stderr)?.[1] ?? ''
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nginx-'))
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, nginxConfig(version, folder, ['gateway-1:8080', 'gateway-2:8080']))
  const { isOk, stderr } = run(nginx, '-t', '-q', '-e', 'stderr', '-c', file)
  report.line(`nginx ${version} accepts nginx.conf`, isOk && stderr === '', lastLines(stderr))
  if (!knowsResolve(version))
    report.skipped('`resolve` in nginx.conf', `nginx ${version} does not know it (1.27.3 does)`)
  rmSync(folder, { recursive: true })
}

/** The config as it is, but with its files in another folder, and for an older nginx with addresses that need no name server. */
export function nginxConfig(version: string, folder: string, gateways: string[]): string {
  const text = readFileSync(join(ROOT, 'deploy/nginx/nginx.conf'), 'utf8').replaceAll('/tmp/', `${folder}/`)
  if (knowsResolve(version)) return text
  const addresses = gateways.map((address) => address.replace(/gateway-\d/, '127.0.0.1'))
  return text.replace(/gateway-(\d):8080 resolve/g, (_, number) => addresses[Number(number) - 1]!)
}

function knowsResolve(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major * 1e6 + minor * 1e3 + patch >= 1_027_003
}
