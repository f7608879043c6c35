import { spawn, spawnSync } from 'node:child_process'

/** A network of its own, in which there is nothing; as root of a user namespace where one is not root. */
const WAYS = [
  ['unshare', '-n'],
  ['unshare', '-r', '-n'],
]
const MARK = 'GATEHOUSE_TEST_CUT_OFF'

/** Whether this process was started by `runCutOff`. */
export const isCutOff = process.env[MARK] === '1'

/**
 * Runs a program as another process without a network, in the place of this one. False, and nothing is done, where this is
 * that process already, and on a machine that lets nobody cut off a network.
 */
export function runCutOff(program: string): boolean {
  const way = isCutOff ? undefined : WAYS.find(([command, ...flags]) => works(command!, flags))
  if (!way) return false
  const [command, ...flags] = [...way, process.execPath, ...process.execArgv, program]
  // What tests report goes to the same output in the same format.
  const child = spawn(command!, flags, { stdio: 'inherit', env: { ...process.env, [MARK]: '1' } })
  child.once('exit', (code) => {
    process.exitCode = code ?? 1
  })
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => child.kill(signal))
  return true
}

function works(command: string, flags: string[]): boolean {
  return spawnSync(command, [...flags, 'true']).status === 0
}
