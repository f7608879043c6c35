import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../run.ts'
import { AGENT_PROGRAMS, type AgentProgram } from './agents.ts'
import { logInToClaude } from './claude-login.ts'
import { openScene, type Scene } from './scene.ts'

// `npm run clients agents`: people sign in with the real programs and an OpenID provider, work, and lose what they had.

type Trial = {
  agent: AgentProgram
  scene: Scene
  /** Where everything of this agent is. */
  folder: string
  env: Record<string, string>
}

/** The agents of this group, for the help. */
export const AGENT_NAMES: readonly string[] = AGENT_PROGRAMS.map(({ name }) => `${name} signs in`)

/** Ends an agent that hangs. opencode alone takes 10 s of CPU for each prompt, and two terminals ask at once. */
const LONGEST_SECONDS = 900
const DONE = 'gate-42'

/** Returns a line for each agent: ok, FAILED or skipped, with the reason. */
export async function tryAgents(wanted: (name: string) => boolean, folder: string, report: (line: string) => void) {
  for (const agent of AGENT_PROGRAMS) {
    if (!wanted(`${agent.name} signs in`)) continue
    const own = join(folder, `agents-${agent.agent}`)
    await mkdir(join(own, 'home', 'work'), { recursive: true })
    const installed = await run(
      `npm install --silent --no-audit --no-fund --prefix . ${agent.packages.join(' ')}`,
      own,
      {},
    )
    const title = `${agent.name} signs in (${agent.packages.join(', ')})`
    if (installed.code !== 0)
      report(`${title}: skipped, it cannot be installed here\n${installed.output.slice(-1_000)}`)
    else report(await tryAgent(agent, title, own))
  }
}

async function tryAgent(agent: AgentProgram, title: string, folder: string): Promise<string> {
  const scene = await openScene(folder)
  const trial: Trial = { agent, scene, folder, env: environmentIn(folder) }
  const done: string[] = []
  try {
    for (const [step, take] of Object.entries(STEPS)) {
      const begun = performance.now()
      const result = await take(trial).catch((error: unknown) => String(error))
      console.log(`  ${agent.name}: ${step}, ${Math.round((performance.now() - begun) / 1_000)} s`)
      if (result?.startsWith('skipped')) done.push(`${step} ${result}`)
      else if (result !== undefined)
        return `${title}: ${step} FAILED (before: ${done.join(', ')})\n${result.slice(-3_000)}`
      else done.push(step)
    }
    return `${title}: ok (${done.join(', ')})`
  } finally {
    await scene.close()
  }
}

function environmentIn(folder: string): Record<string, string> {
  const path = [join(folder, 'bin'), join(folder, 'node_modules', '.bin'), dirname(process.execPath), process.env.PATH]
  return {
    HOME: join(folder, 'home'),
    PATH: path.join(':'),
    CODEX_HOME: join(folder, 'home', '.codex'),
    // Claude Code asks again for minutes otherwise, even with a token that has ended.
    CLAUDE_CODE_MAX_RETRIES: '2',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    XDG_CONFIG_HOME: '',
  }
}

/** Undefined if a step is done; otherwise why not. */
type Step = (trial: Trial) => Promise<string | undefined>

const STEPS: Record<string, Step> = {
  'sign in': async (trial) => {
    await signIn(trial)
    const { code, output } = await shell(trial, `gatehouse configure ${trial.agent.agent}`)
    return code === 0 ? undefined : output
  },
  'small task': (trial) => works(trial),
  'two terminals': async (trial) => {
    await outdate(trial)
    const [one, other] = await Promise.all([works(trial), works(trial)])
    return one ?? other
  },
  'gateway restarted': async (trial) => {
    await trial.scene.restart()
    return await works(trial)
  },
  'budget spent': async (trial) => {
    const { scene, agent } = trial
    const budget = { id: 'tiny', applies_to: 'all', limit: 0.000001, window: 'month' }
    const { status, body } = await scene.admin('POST', '/admin/budgets', budget)
    if (status !== 201) return JSON.stringify(body)
    const { output } = await ask(trial, agent.order('printf gate-%d 42'))
    await scene.admin('DELETE', '/admin/budgets/tiny')
    return !output.includes(DONE) && agent.spent.test(output) ? undefined : output
  },
  'session spent': async (trial) => {
    const { scene, agent } = trial
    const budget = { id: 'tiny', applies_to: 'all', per: 'session', limit: 0.000001, window: 'idle:30m' }
    const { status, body } = await scene.admin('POST', '/admin/budgets', budget)
    if (status !== 201) return JSON.stringify(body)
    const { output } = await ask(trial, agent.order('printf gate-%d 42'))
    await scene.admin('DELETE', '/admin/budgets/tiny')
    return !output.includes(DONE) && agent.sessionSpent.test(output) ? undefined : output
  },
  'revoked while it works': async (trial) => {
    const { agent, scene } = trial
    // In the folder where it works: opencode refuses its tools all others.
    const [begun, over] = [join(workIn(trial), 'begun'), join(workIn(trial), 'over')]
    const command = `touch ${begun}; while ! test -e ${over}; do sleep 0.2; done; printf gate-%d 42`
    const asked = ask(trial, agent.order(command))
    while (!existsSync(begun)) {
      const ended = await Promise.race([asked, sleep(200)])
      if (ended) return `The tool was not called: ${ended.output}`
    }
    await scene.signOutAtProvider()
    await untilRefused(trial)
    await writeFile(over, '')
    const { output } = await asked
    const { output: again } = await ask(trial, agent.order('printf gate-%d 42'))
    if (hasAnswered(output) || hasAnswered(again))
      return `It was answered after the end of its session: ${output}\n${again}`
    return agent.refused.test(output + again) || /sign-in has ended/.test(again) ? undefined : output + again
  },
  '/login of its own': async (trial) =>
    trial.agent.agent === 'claude' ? await logInToClaude(trial) : 'skipped: it has none',
}

/** The scripted model repeats what the tool has printed. */
function hasAnswered(output: string): boolean {
  return /call_0:.*gate-42/s.test(output)
}

async function works(trial: Trial): Promise<string | undefined> {
  const { output } = await ask(trial, trial.agent.order('printf gate-%d 42'))
  return output.includes(DONE) ? undefined : output
}

function ask(trial: Trial, prompt: string) {
  return shell(
    trial,
    `timeout ${LONGEST_SECONDS} ${trial.agent.ask.includes('$(') ? `sh -c '${trial.agent.ask}'` : trial.agent.ask} < /dev/null`,
    {
      PROMPT: prompt,
    },
  )
}

function shell(trial: Trial, command: string, more: Record<string, string> = {}) {
  return run(command, workIn(trial), { ...trial.env, ...more })
}

function workIn({ folder }: Trial): string {
  return join(folder, 'home', 'work')
}

/** `gatehouse login` in a terminal, and the person in a browser. */
async function signIn({ scene, env }: Trial): Promise<void> {
  const login = spawn('gatehouse', ['login', '--url', scene.url], { env: { ...process.env, ...env } })
  const ended = new Promise<number | null>((resolve) => login.once('close', resolve))
  let text = ''
  const shown = new Promise<string>((resolve) => {
    for (const stream of [login.stdout, login.stderr])
      stream.on('data', (part: Buffer) => {
        text += part
        const [code] = /[A-Z]{4}-[A-Z]{4}/.exec(text) ?? []
        if (code) resolve(code)
      })
  })
  const code = await Promise.race([shown, ended])
  if (typeof code !== 'string') throw new Error(`login has ended without a code: ${text}`)
  await scene.confirm(code)
  if ((await ended) !== 0) throw new Error(text)
}

/** So that both terminals renew the token at once. */
async function outdate({ folder }: Trial): Promise<void> {
  const file = join(folder, 'home', '.config', 'gatehouse', 'sign-in.json')
  const signedIn = JSON.parse(await readFile(file, 'utf8')) as object
  await rm(file)
  await writeFile(file, JSON.stringify({ ...signedIn, expiresAt: Date.now() }), { mode: 0o600 })
}

/** All processes have heard of the end. */
async function untilRefused({ scene, folder }: Trial): Promise<void> {
  const file = join(folder, 'home', '.config', 'gatehouse', 'sign-in.json')
  const { access } = JSON.parse(await readFile(file, 'utf8')) as { access: string }
  for (let tries = 0; tries < 50; tries++) {
    const { status } = await fetch(`${scene.url}/v3/models`, { headers: { authorization: `Bearer ${access}` } })
    if (status === 401) return
    await sleep(200)
  }
  throw new Error('The token is still accepted after ten seconds.')
}
