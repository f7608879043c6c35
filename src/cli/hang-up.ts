import { closeSync, openSync } from 'node:fs'

const hadTerminal = hasTerminal()

/**
 * Whether SIGHUP came from a terminal that was closed: the process had a controlling terminal when it started, and has none
 * now. Services and containers never had one.
 */
export function hasLostTerminal(): boolean {
  return hadTerminal && !hasTerminal()
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
