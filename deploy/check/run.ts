import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { MB } from '../../src/base/units/units.ts'

export const ROOT = join(import.meta.dirname, '..', '..')
const MAX_OUTPUT = 64 * MB

type Ran = { isOk: boolean; stdout: string; stderr: string }

export function run(command: string, ...parameters: string[]): Ran {
  const { status, stdout, stderr } = spawnSync(command, parameters, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT,
  })
  return { isOk: status === 0, stdout: stdout ?? '', stderr: stderr ?? '' }
}

/** The output of a command that has to succeed. */
export function output(command: string, ...parameters: string[]): string {
  const { isOk, stdout, stderr } = run(command, ...parameters)
  if (!isOk) throw new Error(`${command} ${parameters.slice(0, 3).join(' ')} failed: ${lastLines(stderr || stdout)}`)
  return stdout.trim()
}

export function lastLines(text: string, count = 8): string {
  return text.trim().split('\n').slice(-count).join(' | ')
}

/** The command that a variable names, or the name itself, if it is on this machine. */
export function findTool(name: string, variable: string): string | undefined {
  const command = process.env[variable] || name
  return run('sh', '-c', `command -v "${command}"`).isOk ? command : undefined
}
