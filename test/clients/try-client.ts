import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { linesFor } from '../gateway/documented-clients.ts'
import type { Client } from './client-table.ts'
import { LANGUAGES } from './languages.ts'
import { run } from './run.ts'

const SHOWN_CHARS = 4_000

/** Installs a client into a folder of its own and runs its program. Returns a line: ok, FAILED or skipped, with the reason. */
export async function tryClient(client: Client, folder: string, address: Record<string, string>): Promise<string> {
  const env = { ...address, ...documented(client) }
  const { needs, ...steps } = LANGUAGES[client.language]
  const title = `${client.name} (${client.packages.join(', ')})`
  const own = join(folder, client.name.replaceAll(/\W+/g, '-'))
  await mkdir(own)
  for (const tool of needs)
    if ((await run(`command -v ${tool}`, own, env)).code !== 0) return `${title}: skipped, there is no ${tool}`
  const installed = await run(steps.install(client), own, env)
  if (installed.code !== 0) return `${title}: skipped, it cannot be installed here\n${installed.output.slice(-1_000)}`
  const { code, output } = await run(steps.run(client), own, env)
  const missing = client.prints.filter((text) => !output.includes(text))
  if (code === 0 && missing.length === 0) return `${title}: ok`
  return `${title}: FAILED (exit code ${code}, not printed: ${JSON.stringify(missing)})\n${output.slice(-SHOWN_CHARS)}`
}

/** A program without a library around it is run with the lines that the page prints for it. */
function documented({ language, name }: Client): Record<string, string> {
  return language === 'npm' ? { LINES: linesFor(name).join('\n') } : {}
}
