import { cpSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Buildah } from './buildah.ts'
import type { Report } from './report.ts'
import { output } from './run.ts'

const NAME = 'localhost/gatehouse-base'

/** Makes a base like the official Node image: Debian, the Node that runs this script, and npm. Returns its name. */
export function makeBase(report: Report, buildah: Buildah, folder: string): string {
  const start = performance.now()
  const root = join(folder, 'base')
  output('debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', root)
  for (const path of ['var/cache/apt/archives', 'var/lib/apt/lists']) rmSync(join(root, path), { recursive: true })
  const packages = join(root, 'usr/local/lib/node_modules')
  mkdirSync(packages, { recursive: true })
  cpSync(process.execPath, join(root, 'usr/local/bin/node'), { dereference: true })
  const npm = realpathSync(output('sh', '-c', 'command -v npm'))
  cpSync(join(dirname(npm), '..'), join(packages, 'npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  buildah.fromFolder(NAME, root)
  report.line('base by debootstrap', true, `${((performance.now() - start) / 1000).toFixed(0)} s`)
  return NAME
}
