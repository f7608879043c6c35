import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from './report.ts'
import { findTool, lastLines, ROOT, run } from './run.ts'

/** In this version the free nginx has learned to look names up again. */
const KNOWS_RESOLVE = [1, 27, 3]

export async function checkNginx(report: Report): Promise<void> {
  const nginx = findNginx()
  if (!nginx) return report.skipped('nginx', 'there is no nginx')
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-nginx-'))
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, nginx.knowsResolve ? nginxConfig(folder) : withoutNames(nginxConfig(folder)))
  const { isOk, stderr } = run(nginx.command, '-t', '-q', '-e', 'stderr', '-c', file)
  report.line(`nginx ${nginx.version} accepts nginx.conf`, isOk && stderr === '', lastLines(stderr))
  if (!nginx.knowsResolve) report.skipped('`resolve` in nginx.conf', `nginx ${nginx.version} does not know it`)
  rmSync(folder, { recursive: true })
}

/** nginx itself reads a variable NGINX, so ours has another name. */
export function findNginx(): { command: string; version: string; knowsResolve: boolean } | undefined {
  const command = findTool('nginx', 'NGINX_COMMAND')
  if (!command) return undefined
  const version = /nginx\/([\d.]+)/.exec(run(command, '-v').stderr)?.[1] ?? '0'
  const order = version.localeCompare(KNOWS_RESOLVE.join('.'), 'en', { numeric: true })
  return { command, version, knowsResolve: order >= 0 }
}

/** The config as it is, but with its files in another folder. */
export function nginxConfig(folder: string): string {
  return readFileSync(join(ROOT, 'deploy/nginx/nginx.conf'), 'utf8').replaceAll('/tmp/', `${folder}/`)
}

function withoutNames(config: string): string {
  return config.replace(/gateway-\d:8080 resolve/g, '127.0.0.1:8080')
}
