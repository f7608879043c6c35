import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { API_KEY } from './gateway-under-test.ts'

// The lines of docs/clients.md, run as they are printed.

const ROOT = join(import.meta.dirname, '..', '..')
const PAGE = readFileSync(join(ROOT, 'docs', 'clients.md'), 'utf8')
/** Inside of node_modules, so that the lines find what they import. */
const CACHE = join(ROOT, 'node_modules', '.cache')

/** The three lines of a client. */
export function linesFor(client: string): string[] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${client}\n`))
  const block = section && /^```\w+\n([\s\S]*?)\n```$/m.exec(section)?.[1]
  if (!block) throw new Error(`docs/clients.md has no lines for ${client}`)
  return block.split('\n')
}

/**
 * Runs the lines of a package as a module and returns what they declare. Only `export` is added in front of their last
 * statement.
 */
export async function runLines<Declared>(client: string, url: string): Promise<Declared> {
  const lines = linesFor(client)
  const names = lines.flatMap((line) => /^const (\w+)/.exec(line)?.[1] ?? [])
  const before = { ...process.env }
  Object.assign(process.env, { GATEHOUSE_URL: url, GATEHOUSE_API_KEY: API_KEY })
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'clients-'))
  try {
    const file = join(folder, 'lines.mjs')
    writeFileSync(file, `${lines.join('\n')}\nexport { ${names.join(', ')} }\n`)
    return (await import(pathToFileURL(file).href)) as Declared
  } finally {
    rmSync(folder, { recursive: true })
    for (const name of ['GATEHOUSE_URL', 'GATEHOUSE_API_KEY'])
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
  }
}

/** The variables that the lines of a program set, as a shell sets them. */
export function variablesOf(client: string, url: string): Record<string, string> {
  const script = `set -a\n${linesFor(client).join('\n')}\nenv`
  const env = { PATH: process.env.PATH, GATEHOUSE_URL: url, GATEHOUSE_API_KEY: API_KEY }
  const text = execFileSync('/bin/sh', ['-c', script], { env, encoding: 'utf8' })
  return Object.fromEntries(text.split('\n').map((line) => [line.split('=')[0]!, line.slice(line.indexOf('=') + 1)]))
}
