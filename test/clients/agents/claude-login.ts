import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../run.ts'
import { PERSON, type Scene } from './scene.ts'

// `/login` of Claude Code is a screen, so it is driven in tmux: the address of the gateway stands in its settings, a person
// accepts the gateway, types the code into the page, and accepts the account.

type Screen = { folder: string; env: Record<string, string>; scene: Scene }

const LONGEST_MS = 600_000
const CODE = /\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/

/** Undefined if it is signed in and works; otherwise why not. */
export async function logInToClaude({ folder, env, scene }: Screen): Promise<string | undefined> {
  if ((await run('command -v tmux', folder, env)).code !== 0) return 'skipped: there is no tmux'
  const home = join(folder, 'home-of-login')
  const work = join(home, 'work')
  await mkdir(join(home, '.claude'), { recursive: true })
  await mkdir(work)
  const settings = { forceLoginMethod: 'gateway', forceLoginGatewayUrl: `${scene.url}/v3/claude` }
  await writeFile(join(home, '.claude', 'settings.json'), JSON.stringify(settings))
  const known = { hasCompletedOnboarding: true, theme: 'dark', projects: { [work]: { hasTrustDialogAccepted: true } } }
  await writeFile(join(home, '.claude.json'), JSON.stringify(known))
  const own = { ...env, HOME: home }
  const tmux = async (command: string) => (await run(`tmux -S ${folder}/tmux ${command}`, work, own)).output
  const screen = () => tmux('capture-pane -p -t login')
  const press = (...keys: string[]) => tmux(`send-keys -t login ${keys.join(' ')}`)
  await tmux(`new-session -d -s login -x 150 -y 45 claude`)
  try {
    await until(screen, /run \/login/)
    await press("'/login'")
    await sleep(1_000)
    await press('Enter')
    await until(screen, /Enter to connect/)
    await press('Enter')
    await until(screen, /Trust gateway/)
    await press('Up')
    await press('Enter')
    const [code] = CODE.exec(await until(screen, CODE))!
    await scene.confirm(code)
    await until(screen, new RegExp(`Signed in to Cloud gateway as ${PERSON}`))
    await press('Up')
    await press('Enter')
    await until(screen, /Connected to Cloud gateway/)
    await press('Enter')
    const prompt = 'Call Bash with {"command":"printf gate-%d 42"}'
    const asked = await run(`timeout 600 claude -p '${prompt}' --tools Bash --allowedTools Bash < /dev/null`, work, own)
    if (!asked.output.includes('call_0: gate-42')) return asked.output
    await until(screen, /Login successful/)
    await press("'/logout'")
    await sleep(1_000)
    await press('Enter')
    return await signedOut(scene)
  } catch (error) {
    return `${(error as Error).message}\n${await screen()}`
  } finally {
    await tmux('kill-server')
  }
}

/** `/logout` asks the gateway to end the session. */
async function signedOut({ admin }: Scene): Promise<string | undefined> {
  const deadline = performance.now() + LONGEST_MS
  while (performance.now() < deadline) {
    const { body } = await admin('GET', '/admin/audit?action=agent.sign_out')
    if (body.items.length > 0) return undefined
    await sleep(500)
  }
  return 'After /logout, the session was not ended.'
}

async function until(screen: () => Promise<string>, wanted: RegExp): Promise<string> {
  const deadline = performance.now() + LONGEST_MS
  while (performance.now() < deadline) {
    const text = await screen()
    if (wanted.test(text)) return text
    await sleep(500)
  }
  throw new Error(`The screen does not show ${wanted}.`)
}
