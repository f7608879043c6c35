import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { sandboxKey } from '../clients/sandbox-key.ts'
import { type GatewayUnderTest, startGateway } from '../gateway/gateway-under-test.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc')
const OPTIONS = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noUncheckedIndexedAccess: true,
  },
}

describe('a client with types from openapi-typescript', () => {
  let gateway: GatewayUnderTest
  let folder: string
  before(async () => {
    gateway = await startGateway()
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-types-'))
    await installInto(folder)
    await copyFile(join(import.meta.dirname, '..', 'clients', 'programs', 'openapi-fetch.ts'), join(folder, 'calls.ts'))
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS))
    await writeFile(join(folder, 'generate.js'), GENERATE)
    const { typesOf } = await import(pathToFileURL(join(folder, 'generate.js')).href)
    await writeFile(join(folder, 'api.d.ts'), await typesOf(`${gateway.url}/openapi.json`))
  })
  after(async () => {
    await gateway?.close()
    await rm(folder, { recursive: true })
  })

  test('its types check', async () => {
    const { stdout } = await promisify(execFile)(TSC, ['-p', folder]).catch((error: { stdout: string }) => error)
    assert.equal(stdout, '')
  })

  test('its calls are answered', async () => {
    const { callEverything } = await import(pathToFileURL(join(folder, 'calls.ts')).href)
    const { stream, dimensions, models, ...rest } = await callEverything(gateway.url, await sandboxKey(gateway))
    assert.equal(stream.join(''), 'Hello!')
    assert.ok(dimensions > 0 && models.includes('text/moderation/sandbox'))
    assert.deepEqual(rest, {
      chat: 'Hello!',
      images: 1,
      task: 'success',
      info: 'Text: Moderation',
      error: ['body', 'messages'],
      purpose: 'test',
      content: 'Hello',
      job: 'success',
    })
  })
})

const TYPESCRIPT_5 = "module.exports = require('@ts-morph/common').ts"
const GENERATE = `import openapiTS, { astToString } from 'openapi-typescript'; export const typesOf = async (url) => astToString(await openapiTS(new URL(url)))`

/**
 * The packages of the project, except that `typescript` is version 5: openapi-typescript needs its compiler API, which
 * TypeScript 7 no longer has. Another package contains that compiler without a second `tsc`.
 */
async function installInto(folder: string): Promise<void> {
  const [from, to] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')]
  await mkdir(join(to, 'typescript'), { recursive: true })
  await writeFile(join(to, 'typescript', 'index.js'), TYPESCRIPT_5)
  await cp(join(from, 'openapi-typescript'), join(to, 'openapi-typescript'), { recursive: true })
  const others = (await readdir(from)).filter((name) => !/^(\.|typescript$|openapi-typescript$)/.test(name))
  await Promise.all(others.map((name) => symlink(join(from, name), join(to, name))))
}
