// LiteLLM's proxy as a contender: installed from PyPI where the machine has Python, started without a database.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bearer, type Contender, localUrl, PROVIDER_KEY } from './contenders.ts'
import { installerEnvironment, toolFolder } from './tool-folder.ts'
import { findProgram } from './upstream.ts'
import { freePort, type Workplace } from './workplace.ts'
import { MINUTE_MS } from '../src/base/units/units.ts'

const VERSION = '1.106.2'
const INSTALL_LIMIT_MS = 15 * MINUTE_MS
/** LiteLLM imports its SDKs when it starts, which takes longer than anything else here. */
const READY_LIMIT_MS = 240_000
/** LiteLLM accepts a master key only if it begins with `sk-`. */
const MASTER_KEY = 'sk-bench-master-0123456789abcdef'

export type Litellm = { command: string; version: string }

/** Throws with the reason where LiteLLM cannot be installed. */
export async function fetchLitellm(workplace: Workplace): Promise<Litellm> {
  const python = findProgram('python3')
  if (!python) throw new Error('this machine has no python3')
  const folder = join(toolFolder('litellm'), VERSION)
  // The mark is written last: a folder without it is an installation that was interrupted.
  const mark = join(folder, 'installed')
  if (!existsSync(mark)) {
    await install(workplace, python, folder)
    writeFileSync(mark, '')
  }
  return { command: join(folder, 'bin', 'litellm'), version: VERSION }
}

/** One worker, a master key as the only key, and no database: LiteLLM at its lightest that still checks a key. */
export async function startLitellm(workplace: Workplace, upstream: string, litellm: Litellm): Promise<Contender> {
  const port = await freePort()
  const config = join(workplace.folder, `litellm-${port}.yaml`)
  writeFileSync(config, JSON.stringify(litellmConfig(upstream)))
  const parameters = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1']
  const env = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_MODE: 'PRODUCTION', LITELLM_LOG: 'ERROR' }
  const program = { name: 'litellm', command: litellm.command, parameters, env, readyLimitMs: READY_LIMIT_MS }
  const running = await workplace.start(program, localUrl(port, '/health/liveliness'))
  const url = localUrl(port, '/v1/chat/completions')
  return { name: 'litellm', url, headers: bearer(MASTER_KEY), model: 'gpt-4o-mini', running }
}

/** JSON is YAML. */
export function litellmConfig(upstream: string): object {
  const params = { model: 'openai/gpt-4o-mini', api_base: upstream, api_key: PROVIDER_KEY }
  return {
    model_list: [{ model_name: 'gpt-4o-mini', litellm_params: params }],
    litellm_settings: { telemetry: false },
    general_settings: { master_key: MASTER_KEY },
  }
}

async function install(workplace: Workplace, python: string, folder: string): Promise<void> {
  console.error(`installing LiteLLM ${VERSION} with pip, which takes minutes …`)
  const env = installerEnvironment()
  await workplace.run(
    { name: 'python3', command: python, parameters: ['-m', 'venv', '--clear', folder], env },
    INSTALL_LIMIT_MS,
  )
  const parameters = ['install', '--quiet', '--disable-pip-version-check', `litellm[proxy]==${VERSION}`]
  await workplace.run({ name: 'pip', command: join(folder, 'bin', 'pip'), parameters, env }, INSTALL_LIMIT_MS)
}
