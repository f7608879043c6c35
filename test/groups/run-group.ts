import '../../bin/quick-start.js'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesOf, type GroupName, ROOT } from './groups.ts'
import { withParentSearch } from './parent-search.ts'

const { after, describe, test } = await import('node:test')

// Many files of tests in one process, one after the other: what they import is loaded once. A file's hooks stay its own.

/** A file's, and that of every test in it that names none. */
const LIMIT_MS = 60_000
const LEFT_OPEN_MS = 10_000

let current: string | undefined

export function runGroup(name: GroupName): void {
  for (const file of filesOf(name)) test(file, { timeout: LIMIT_MS }, () => load(file))
  for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, tellFile)
  after(refuseToLinger)
}

/** Tests wait until their file is loaded: one that were over before the next is known would end the file too early. */
async function load(file: string): Promise<void> {
  current = file
  const { promise: loaded, resolve } = Promise.withResolvers<void>()
  describe('loading', () => loaded)
  await withParentSearch(() => import(pathToFileURL(join(ROOT, file)).href)).finally(resolve)
  // Otherwise written at the end only: groups that begin meanwhile, and gateways that tests start, would compile it again.
  flushCompileCache()
}

/** The test runner fails the group, but knows no place. */
function tellFile(error: unknown): void {
  console.error(`Nobody caught this in ${current}:`, error)
}

/** A server or a timer that was left open keeps the process from ending: that is a failure, and not a long wait. */
function refuseToLinger(): void {
  setTimeout(() => {
    console.error('All tests have ended, and these are still open:', process.getActiveResourcesInfo())
    process.exit(1)
  }, LEFT_OPEN_MS).unref()
}
