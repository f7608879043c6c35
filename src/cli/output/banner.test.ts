import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadConfig } from '../../platform/config/config.ts'
import { banner, type Greeting } from './banner.ts'
import { paintFor } from './paint.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-banner-'))
after(() => rmSync(folder, { recursive: true }))
const plain = paintFor({})

test('without any provider the banner says what works anyway', () => {
  const text = shown({}, {})
  const rows = {
    API: 'http://127.0.0.1:8080/v3',
    Docs: 'http://127.0.0.1:8080/docs',
    Console: 'http://127.0.0.1:8081/',
    'Admin API': 'http://127.0.0.1:8081/admin',
    Store: `SQLite in ${folder}`,
  }
  for (const [label, value] of Object.entries(rows)) assert.ok(text.includes(`  ${label.padEnd(11)}${value}\n`), label)
  assert.match(text, /^\n {2}Gatehouse 1\.2\.3\n/)
  assert.match(text, /Providers {2}none yet\. sandbox\/echo needs no account/)
  assert.doesNotMatch(text, /Missing|key|Listening/)
})

test('it names the providers that are set up, and the credentials that they miss', () => {
  const content = {
    providers: {
      fake: { dialect: 'openai', baseUrl: 'http://127.0.0.1:9/v1', auth: { scheme: 'bearer', env: 'FAKE_KEY' } },
    },
    credentials: { mistral: [{ env: 'MISTRAL_A' }, { env: 'MISTRAL_B' }] },
  }
  const environment = {
    OPENAI_API_KEY: 'sk-secret',
    MISTRAL_A: 'secret',
    AWS_ACCESS_KEY_ID: 'secret',
    AWS_REGION: 'eu-1',
  }
  const text = shown(environment, content)
  assert.match(text, /Providers {2}mistral, openai\n/)
  const missing = /Missing {4}(.*)\n/.exec(text)![1]!.split(', ').toSorted()
  assert.deepEqual(missing, ['AWS_SECRET_ACCESS_KEY (amazon)', 'FAKE_KEY (fake)', 'MISTRAL_B (mistral)'])
  assert.doesNotMatch(text, /secret/)
})

test('it shows the addresses that the operator gives, and no password of the store', () => {
  const text = shown({
    PUBLIC_URL: 'https://ai.example/gate',
    ADMIN_URL: 'https://admin.example',
    DATABASE_URL: 'postgres://user:secret@db.internal:5432/gatehouse?password=secret',
  })
  assert.match(text, /API {8}https:\/\/ai\.example\/gate\/v3\n/)
  assert.match(text, /Console {4}https:\/\/admin\.example\/\n/)
  assert.match(text, /Admin API {2}https:\/\/admin\.example\/admin\n/)
  assert.match(text, /Listening {2}http:\/\/127\.0\.0\.1:8080\n/)
  assert.match(text, /Store {6}PostgreSQL at db\.internal:5432\/gatehouse\n/)
  assert.doesNotMatch(text, /secret|user/)
})

test('keys that were made are in it, with a command to paste', () => {
  const text = shown({}, {}, { made: { client: 'gate_live_x', admin: 'gate_admin_x' } })
  assert.match(text, /API key \(shown only once\): {4}gate_live_x\n/)
  assert.match(text, /Admin key \(shown only once\): {2}gate_admin_x {3}for http:\/\/127\.0\.0\.1:8081\/admin\n/)
  assert.match(text, /\ncurl http:\/\/127\.0\.0\.1:8080\/v3\/chat\/completions -H 'Authorization: Bearer gate_live_x'/)
})

test('a process that only runs jobs has no API', () => {
  assert.doesNotMatch(shown({}, {}, { base: undefined }), /API {8}|Docs|undefined/)
})

function shown(environment: Record<string, string>, content = {}, greeting: Partial<Greeting> = {}): string {
  const GATEHOUSE_CONFIG = join(folder, 'gatehouse.config.json')
  writeFileSync(GATEHOUSE_CONFIG, JSON.stringify(content))
  const config = loadConfig({ GATEHOUSE_CONFIG, DATA_DIR: folder, ...environment })
  const addresses = { base: 'http://127.0.0.1:8080', admin: 'http://127.0.0.1:8081' }
  return banner({ config, version: '1.2.3', ...addresses, made: {}, ...greeting }, plain)
}
