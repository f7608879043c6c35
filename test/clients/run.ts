import { execFile } from 'node:child_process'
import { MB } from '../../src/base/units/units.ts'

/** Runs a shell command to its end, whatever its exit code. */
export function run(
  command: string,
  cwd: string,
  env: Record<string, string>,
): Promise<{ code: number; output: string }> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * MB }
  return new Promise((resolve) => {
    execFile('sh', ['-ec', command], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) || 1 : 0, output: stdout + stderr })
    })
  })
}
