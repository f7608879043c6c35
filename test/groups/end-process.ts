import { after } from 'node:test'

/** Far longer than anything takes to close that is going to close. */
const LEFT_OPEN_MS = 60_000

/**
 * A test that fails may leave a server open, which would keep its process for ever, and with it the run. The process is ended
 * then, as failed. One in which everything is closed has ended by itself before.
 */
export function endProcessAfterTests(leftOpenMs = LEFT_OPEN_MS): void {
  after(() => {
    setTimeout(() => {
      console.error(`The tests left open: ${process.getActiveResourcesInfo().join(', ')}`)
      process.exit(1)
    }, leftOpenMs).unref()
  })
}
