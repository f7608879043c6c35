// People with the console open, without their browsers: the live tail of the request log, and the requests of a screen every
// few seconds. A browser on the same machine would take more CPU than the gateway.
import { ADMIN_KEY } from './contenders.ts'
import { DAY_MS } from '../src/base/units/units.ts'

const LOOK_MS = 1_000

/** What the screens ask for when they are opened, over the last 24 hours and the last 30 days. */
const SCREENS: readonly ((now: number) => string[])[] = [
  (now) => [
    `/admin/usage?from=${now - 2 * DAY_MS}&to=${now}&group_by=hour`,
    `/admin/usage?from=${now - DAY_MS}&to=${now}&group_by=model`,
    '/admin/budgets?limit=100',
    '/admin/targets',
  ],
  () => ['/admin/requests?limit=50'],
  (now) => [
    `/admin/usage?from=${now - 30 * DAY_MS}&to=${now}&group_by=day`,
    `/admin/usage?from=${now - 30 * DAY_MS}&to=${now}&group_by=key`,
    `/admin/usage?from=${now - 60 * DAY_MS}&to=${now - 30 * DAY_MS}&group_by=key`,
  ],
  () => ['/admin/budgets', '/admin/projects?limit=200', '/admin/keys?limit=200'],
]

type OpenConsoles = AsyncDisposable & { failed: string[] }

export async function openConsoles(adminUrl: string, count: number): Promise<OpenConsoles> {
  const closing = new AbortController()
  const failed: string[] = []
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const answer = await fetch(`${adminUrl}${path}`, { headers, signal: closing.signal })
    if (answer.status !== 200) failed.push(`${path} answers ${answer.status}`)
    return answer
  }
  const tails = await Promise.all(Array.from({ length: count }, () => get('/admin/requests/live')))
  const open = tails.flatMap((tail, at) => [readAll(tail), look(at, get, closing.signal)])
  const close = async () => {
    closing.abort()
    await Promise.allSettled(open)
  }
  return { failed, [Symbol.asyncDispose]: close }
}

async function readAll(answer: Response): Promise<void> {
  for await (const _ of answer.body!);
}

/** The consoles are on different screens, and go from screen to screen. */
async function look(first: number, get: (path: string) => Promise<Response>, signal: AbortSignal): Promise<void> {
  for (let at = first; !signal.aborted; at++) {
    const paths = SCREENS[at % SCREENS.length]!(Date.now())
    await Promise.all(paths.map(async (path) => await (await get(path)).arrayBuffer()))
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
