import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire, registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { sandboxKey } from './sandbox-key.ts'
import { type GatewayUnderTest, startGateway } from '../e2e/gateway-under-test.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const TSC = join(ROOT, 'node_modules', '.bin', 'tsc')
const OPTIONS = {
  compilerOptions: {
    ...{ target: 'es2024', lib: ['es2024', 'dom'], module: 'nodenext', types: ['node'], strict: true, noEmit: true },
    ...{ allowImportingTsExtensions: true, skipLibCheck: true, noUncheckedIndexedAccess: true },
  },
}

describe('a client with types from openapi-typescript', () => {
  let gateway: GatewayUnderTest
  let folder: string
  before(async () => {
    gateway = await startGateway()
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-types-'))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    await copyFile(join(import.meta.dirname, 'programs', 'openapi-fetch.ts'), join(folder, 'calls.ts'))
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS))
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

/**
 * openapi-typescript needs the compiler API of TypeScript 5, which TypeScript 7 no longer has. Another package contains that
 * compiler without a second `tsc`.
 */
async function typesOf(url: string): Promise<string> {
  const compiler = createRequire(import.meta.url).resolve('@ts-morph/common/dist/typescript.js')
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      name === 'typescript' ? { url: pathToFileURL(compiler).href, shortCircuit: true } : next(name, context),
  })
  try {
    const { default: openapiTS, astToString } = await import('openapi-typescript')
    return astToString(await openapiTS(new URL(url)))
  } finally {
    hooks.deregister()
  }
}
