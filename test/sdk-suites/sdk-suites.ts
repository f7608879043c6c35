import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../clients/run.ts'
import { sandboxKey } from '../clients/sandbox-key.ts'
import { startGateway } from '../gateway/gateway-under-test.ts'
import { compare } from './compare.ts'
import { expectedFailures, type Suite, SUITES, NOT_RUN } from './suites.ts'

// `npm run sdk-suites [openai-3.51.0]`: installs the source packages of SDKs into a temporary folder and runs their own tests
// against the gateway with a sandbox key, then compares what failed with the lists in expected/.

const SHOWN_CHARS = 4_000
const wanted = process.argv.slice(2)
const suites = SUITES.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
if (suites.length === 0)
  throw new Error(`There is none of these. There are: ${SUITES.map(({ name }) => name).join(', ')}`)
const folder = await mkdtemp(join(tmpdir(), 'gatehouse-sdk-suites-'))
try {
  for (const suite of suites) if (!(await isAsExpected(suite))) process.exitCode = 1
  for (const line of NOT_RUN) console.log(`skipped: ${line}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Each suite has a gateway of its own, so that no list has what another suite stored. */
async function isAsExpected(suite: Suite): Promise<boolean> {
  const own = join(folder, suite.name)
  await mkdir(own)
  for (const tool of suite.needs)
    if ((await run(`command -v ${tool}`, own, {})).code !== 0) return skipped(suite, `there is no ${tool}`)
  const installed = await run(suite.install, own, {})
  if (installed.code !== 0)
    return skipped(suite, `it cannot be installed here\n${installed.output.slice(-SHOWN_CHARS)}`)
  const gateway = await startGateway()
  try {
    const env = { TEST_API_BASE_URL: `${gateway.url}/v3`, TEST_API_KEY: await sandboxKey(gateway) }
    const { code, output } = await run(suite.run, own, env)
    if (code === 0) return await reported(suite, own)
    console.log(`${suite.name}: FAILED, its tests did not run\n${output.slice(-SHOWN_CHARS)}`)
    return false
  } finally {
    // Fails if the gateway gave an answer that its documents do not describe.
    await gateway.close()
  }
}

async function reported(suite: Suite, own: string): Promise<boolean> {
  const known = await expectedFailures(suite.name)
  const {
    passed,
    expected,
    skipped: left,
    surprises,
  } = compare(await readFile(join(own, 'results.txt'), 'utf8'), known)
  const counts = `${passed} passed, ${expected} failed as expected, ${left} skipped by themselves`
  console.log(`${suite.name}: ${surprises.length === 0 ? 'ok' : 'FAILED'}, ${counts}`)
  for (const surprise of surprises) console.log(`  ${surprise}`)
  return surprises.length === 0
}

function skipped({ name }: Suite, reason: string): true {
  console.log(`${name}: skipped, ${reason}`)
  return true
}
