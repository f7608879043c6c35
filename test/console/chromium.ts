import { execFileSync } from 'node:child_process'

const NAMES = [process.env.CHROMIUM ?? 'chromium', 'chromium-browser', 'google-chrome']

/** Undefined if there is none. `CHROMIUM` names another one. */
export const chromiumPath = NAMES.map(pathOf).find((path) => path !== undefined)

function pathOf(program: string): string | undefined {
  try {
    return execFileSync('which', [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}
