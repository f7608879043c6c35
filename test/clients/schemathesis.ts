import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { API_ROUTES } from '../../src/http/routes/api-routes.ts'
import { ADMIN_ROUTES } from '../../src/http/routes/admin-routes.ts'
import { openapiDocument } from '../../src/http/openapi/document.ts'
import type { OpenApiDocument } from '../../src/contract/openapi/document.ts'
import { ADMIN_KEY, startGateway } from '../gateway/gateway-under-test.ts'
import { withPinnedModels } from './pin-models.ts'
import { run } from './run.ts'
import { sandboxKey } from './sandbox-key.ts'

// `npm run schemathesis [examples] [api|admin]`: Schemathesis sends generated requests to all operations of both listeners, with generated
// and with valid names of models, and checks the answers. The gateway of the tests checks them as well, events included.

const VERSION = '4.32.5'
const EXAMPLES = Number(process.argv[2] ?? 20)
const LISTENERS = process.argv[3] ? [process.argv[3]] : ['api', 'admin']
const CHECKS = ['status_code_conformance', 'content_type_conformance', 'response_schema_conformance']
const INSTALL = `python3 -m venv env && env/bin/pip -q install schemathesis==${VERSION}`

const folder = await mkdtemp(join(tmpdir(), 'gatehouse-schemathesis-'))
const gateway = await startGateway()
const env = { API_KEY: await sandboxKey(gateway), ADMIN_KEY }
try {
  process.exitCode = await runAll()
} finally {
  await rm(folder, { recursive: true, force: true })
  // Fails if the gateway gave an answer that its documents do not describe, a 500 among them.
  await gateway.close()
}

async function runAll(): Promise<number> {
  const installed = await run(INSTALL, folder, env)
  if (installed.code !== 0) {
    console.log(`schemathesis: skipped, it could not be installed\n${installed.output.slice(-1_000)}`)
    return 0
  }
  let failed = 0
  for (const listener of LISTENERS) {
    const document = openapiDocument(listener === 'api' ? API_ROUTES : ADMIN_ROUTES)
    const [url, key] = listener === 'api' ? [gateway.url, '$API_KEY'] : [gateway.adminUrl, '$ADMIN_KEY']
    failed += await runOne(`${listener}, generated models`, document, url, key)
    failed += await runOne(`${listener}, valid models`, withPinnedModels(document), url, key)
  }
  return failed > 0 ? 1 : 0
}

async function runOne(title: string, document: OpenApiDocument, url: string, key: string): Promise<number> {
  await writeFile(join(folder, 'document.json'), JSON.stringify(withoutEvents(document)))
  const command =
    `env/bin/schemathesis run document.json -u ${url} -H "Authorization: Bearer ${key}" -n ${EXAMPLES} ` +
    `--phases examples,coverage,fuzzing --checks ${CHECKS.join()} --generation-database none --no-color ` +
    '--suppress-health-check all --warnings off --request-timeout 60 --continue-on-failure'
  const { code, output } = await run(command, folder, env)
  console.log(`schemathesis, ${title}: ${code === 0 ? 'ok' : 'FAILED'}\n${output.slice(code === 0 ? -800 : -20_000)}`)
  return code === 0 ? 0 : 1
}

/**
 * Schemathesis takes the schema of a stream for that of the whole event with its `data` field. In our documents it is that of
 * the JSON in `data`, which the gateway of the tests checks.
 */
function withoutEvents(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document)
  for (const { responses } of Object.values(copy.paths).flatMap((methods) => Object.values(methods)))
    for (const reply of Object.values(responses))
      if ('content' in reply && reply.content?.['text/event-stream']) reply.content['text/event-stream'] = {}
  return copy
}
