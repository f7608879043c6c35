import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..', '..')
/** A command may wait for something that never comes. */
const END_WITHIN_MS = 400_000

/** The fenced blocks of a document that are marked with the language, in order. */
export function blocksOf(document: string, language: string): string[] {
  const text = readFileSync(join(ROOT, document), 'utf8')
  return Array.from(text.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, marked, block]) =>
    marked === language ? block! : '',
  ).filter((block) => block !== '')
}

/**
 * Runs the commands as a reader would paste them, from the root of the project, and returns their output. It stops at a
 * failing command.
 */
export async function pasted(commands: string, env: Record<string, string>): Promise<{ code: number; output: string }> {
  const PATH = `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`
  // Background processes must not outlive a command that failed.
  const script = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n${commands}`
  const child = spawn('bash', ['-e', '-u', '-o', 'pipefail', '-c', script], {
    cwd: ROOT,
    env: { PATH, ...env },
    // With a socket as its input, bash takes itself for a remote shell and reads the machine's settings.
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: END_WITHIN_MS,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}
