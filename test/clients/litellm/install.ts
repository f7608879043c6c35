import { join } from 'node:path'
import { run } from '../run.ts'

const VERSION = '1.106.2'

/** The command of a real LiteLLM: LITELLM_COMMAND, one on the PATH, or one that is installed from PyPI into the folder. */
export async function findLitellm(folder: string): Promise<{ command: string } | { skip: string }> {
  const known = process.env.LITELLM_COMMAND
  if (known) return { command: known }
  const found = await run('command -v litellm', folder, {})
  if (found.code === 0) return { command: found.output.trim() }
  const place = join(folder, 'litellm')
  const made = await run(`python3 -m venv ${place}`, folder, {})
  if (made.code !== 0) return { skip: 'there is neither litellm nor python3 with venv' }
  const installed = await run(`${place}/bin/pip install --quiet 'litellm[proxy]==${VERSION}'`, folder, {})
  if (installed.code !== 0) return { skip: `litellm ${VERSION} cannot be installed from PyPI` }
  return { command: join(place, 'bin', 'litellm') }
}
