// Bifrost as a contender: a program that is already on the machine, started as its public documentation says.
import { accessSync, constants, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bearer, type Contender, localUrl, PROVIDER_KEY } from './contenders.ts'
import { freePort, type Workplace } from './workplace.ts'

/** The program reads `config.json` in the folder that `-app-dir` names. */
export async function startBifrost(workplace: Workplace, upstream: string, command: string): Promise<Contender> {
  refuseMissing(command)
  const port = await freePort()
  const folder = mkdtempSync(join(workplace.folder, 'bifrost-'))
  writeFileSync(join(folder, 'config.json'), JSON.stringify(bifrostConfig(upstream)))
  const parameters = ['-app-dir', folder, '-host', '127.0.0.1', '-port', String(port), '-log-level', 'error']
  const env = { OPENAI_API_KEY: PROVIDER_KEY }
  const running = await workplace.start({ name: 'bifrost', command, parameters, env }, localUrl(port, '/health'))
  const url = localUrl(port, '/v1/chat/completions')
  return { name: 'bifrost', url, headers: bearer(PROVIDER_KEY), model: 'openai/gpt-4o-mini', running }
}

/** Bifrost puts `/v1` behind its base URL itself. Without a config store it keeps no database. */
function bifrostConfig(upstream: string): object {
  const key = { name: 'bench', value: 'env.OPENAI_API_KEY', models: ['*'], weight: 1 }
  return {
    client: { drop_excess_requests: false, enable_logging: false },
    providers: { openai: { keys: [key], network_config: { base_url: upstream.replace(/\/v1$/, '') } } },
    config_store: { enabled: false },
  }
}

function refuseMissing(command: string): void {
  try {
    accessSync(command, constants.X_OK)
  } catch {
    throw new Error(`${command} is not a program that can be run`)
  }
}
